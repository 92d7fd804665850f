#include "backends/engine/ask.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "backends/engine/ask_member.h"
#include "backends/engine/engine.h"
#include "backends/engine/schema.h"
#include "backends/engine/template.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/rng.h"

bool ask_fail(struct ask_problem *problem, int status, const char *param, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	problem->status = status;
	problem->param = param;
	vsnprintf(problem->message, sizeof(problem->message), format, args);
	va_end(args);
	return false;
}

static bool read_body(struct ask *ask, struct span body, struct ask_problem *ret_problem)
{
	struct json j;
	struct json_token t = json_begin(&j, body);
	if (t.type != JSON_OBJECT) {
		return ask_fail(ret_problem, 400, NULL, "The body must be a JSON object.");
	}
	/* The first pass validates: no member is used before the whole document is known to be
	 * JSON. */
	json_skip(&j, &t);
	if (json_next(&j).type != JSON_END) {
		return ask_fail(ret_problem, 400, NULL, "The body is not JSON: %s at byte %zu.",
		        j.error ? j.error : "trailing bytes", j.error_at);
	}
	json_begin(&j, body);
	while ((t = json_next(&j)).type == JSON_KEY) {
		struct json_token value = json_next(&j);
		struct span text = json_skip(&j, &value);
		if (!ask_member_read(ask, &t, &value, text, ret_problem)) {
			return false;
		}
	}
	return true;
}

bool ask_wants_tool(const struct ask *ask, const char *tool_name)
{
	static const char *const WORDS_FOR_TOOLS[] = {
	        "tool", "call ", "weather", "search", "look up", "Use ", "use "};
	for (size_t i = 0; i < ARRAY_LEN(WORDS_FOR_TOOLS); i++) {
		if (memmem(ask->messages.data, ask->messages.len, WORDS_FOR_TOOLS[i],
		            strlen(WORDS_FOR_TOOLS[i]))) {
			return true;
		}
	}
	return memmem(ask->messages.data, ask->messages.len, tool_name, strlen(tool_name)) != NULL;
}

static bool check(
        struct ask *ask, const struct engine_options *options, struct ask_problem *ret_problem)
{
	if (ask->model && options->strict_model && strcmp(ask->model, options->model) != 0) {
		return ask_fail(ret_problem, 404, "model", "The model '%.100s' does not exist.",
		        ask->model);
	}
	if (ask->endpoint == ASK_CHAT && !ask->messages.data) {
		return ask_fail(ret_problem, 400, "messages", "messages is required.");
	}
	if (ask->endpoint == ASK_COMPLETION && ask->n_prompts == 0) {
		return ask_fail(ret_problem, 400, "prompt", "prompt is required.");
	}
	if (ask->endpoint == ASK_CHAT && ask->top > 0 && !ask->logprobs) {
		return ask_fail(ret_problem, 400, "top_logprobs",
		        "top_logprobs needs logprobs to be true.");
	}
	if (ask->prompt_top >= 0 && ask->stream) {
		return ask_fail(ret_problem, 400, "prompt_logprobs",
		        "prompt_logprobs are not available in streams.");
	}
	if (ask->max_tokens == 0 && !ask->echo) {
		return ask_fail(ret_problem, 400, "max_tokens", "max_tokens must be at least 1.");
	}
	if (ask->max_tokens < 0) {
		ask->max_tokens = ask->endpoint == ASK_CHAT ? options->default_max_tokens : 16;
	}
	return true;
}

bool ask_parse(struct ask *ask, enum ask_endpoint endpoint, struct span body,
        const struct engine_options *options, struct ask_problem *ret_problem)
{
	*ask = (struct ask){
	        .endpoint = endpoint,
	        .n = 1,
	        .max_tokens = -1,
	        .prompt_top = -1,
	        .sampling = {.temperature = 1, .top_p = 1, .repetition = 1},
	};
	if (!read_body(ask, body, ret_problem) || !check(ask, options, ret_problem)) {
		return false;
	}
	if (endpoint == ASK_COMPLETION) {
		return true;
	}
	ask->n_prompts = 1;
	if (!schema_choose(ask, ret_problem)) {
		return false;
	}
	ask->think = options->reasoning != ENGINE_REASONING_NONE && !ask->call_name &&
	             ask->forced.n == 0;
	return template_apply(
	        vocabulary_get(), ask->messages, ask->think, &ask->prompts[0], ret_problem);
}

uint64_t ask_hash(const struct ask *ask)
{
	uint64_t hash = (uint64_t)ask->max_tokens << 32 | (uint64_t)ask->n << 8 | ask->endpoint;
	for (uint32_t i = 0; i < ask->n_prompts; i++) {
		for (size_t k = 0; k < ask->prompts[i].n; k++) {
			hash = rng_mix_pair(hash, ask->prompts[i].items[k]);
		}
	}
	return rng_mix_pair(hash, ask->sampling.seed);
}

void ask_finish(struct ask *ask)
{
	free(ask->model);
	free(ask->tool_named);
	free(ask->call_name);
	free(ask->sampling.bias);
	buf_finish(&ask->call_arguments);
	tokens_finish(&ask->forced);
	for (uint32_t i = 0; i < ASK_STOPS_MAX; i++) {
		buf_finish(&ask->stops[i]);
	}
	for (uint32_t i = 0; i < ASK_PROMPTS_MAX; i++) {
		tokens_finish(&ask->prompts[i]);
	}
	*ask = (struct ask){0};
}
