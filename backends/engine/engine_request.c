#include "backends/engine/engine_request.h"

#include <stdlib.h>
#include <string.h>

#include "backends/engine/chat_template.h"
#include "backends/engine/engine.h"
#include "backends/engine/engine_request_members.h"
#include "backends/engine/schema.h"
#include "base/json.h"
#include "base/rng.h"

static bool read_body(
        struct engine_request *request, struct span body, struct engine_problem *ret_problem)
{
	struct json j;
	struct json_member m;
	struct json_token t = json_begin(&j, body);
	if (t.type != JSON_TOKEN_OBJECT) {
		return engine_problem_set(ret_problem, NULL, "The body must be a JSON object.");
	}
	/* The first pass validates: no member is used before the whole document is known to be
	 * JSON. */
	json_skip(&j, &t);
	if (json_next(&j).type != JSON_TOKEN_END) {
		return engine_problem_set(ret_problem, NULL,
		        "The body is not JSON: %s at byte %zu.",
		        j.error ? j.error : "trailing bytes", j.error_at);
	}
	json_begin(&j, body);
	while (json_next_member(&j, &m)) {
		if (!engine_request_read_member(request, &m, ret_problem)) {
			return false;
		}
	}
	return true;
}

static bool check(struct engine_request *request, const struct engine_options *options,
        struct engine_problem *ret_problem)
{
	bool chat = request->endpoint == ENDPOINT_CHAT;
	if (request->model && options->strict_model &&
	        strcmp(request->model, options->model) != 0) {
		engine_problem_set(
		        ret_problem, "model", "The model '%.100s' does not exist.", request->model);
		ret_problem->status = 404;
		return false;
	}
	if (chat && !request->messages.data) {
		return engine_problem_set(ret_problem, "messages", "messages is required.");
	}
	if (!chat && request->n_prompts == 0) {
		return engine_problem_set(ret_problem, "prompt", "prompt is required.");
	}
	if (chat && request->top > 0 && !request->logprobs) {
		return engine_problem_set(
		        ret_problem, "top_logprobs", "top_logprobs needs logprobs to be true.");
	}
	if (request->prompt_top >= 0 && request->stream) {
		return engine_problem_set(ret_problem, "prompt_logprobs",
		        "prompt_logprobs are not available in streams.");
	}
	if (request->max_tokens == 0 && !request->echo) {
		return engine_problem_set(
		        ret_problem, "max_tokens", "max_tokens must be at least 1.");
	}
	if (request->max_tokens < 0) {
		request->max_tokens = chat ? options->default_max_tokens : 16;
	}
	return true;
}

bool engine_request_parse(struct engine_request *request, enum endpoint endpoint, struct span body,
        const struct engine_options *options, struct engine_problem *ret_problem)
{
	*request = (struct engine_request){
	        .endpoint = endpoint,
	        .n = 1,
	        .max_tokens = -1,
	        .prompt_top = -1,
	        .sampling = {.temperature = 1, .top_p = 1, .repetition = 1},
	};
	if (!read_body(request, body, ret_problem) || !check(request, options, ret_problem)) {
		return false;
	}
	if (endpoint == ENDPOINT_COMPLETION) {
		return true;
	}
	request->n_prompts = 1;
	if (!schema_choose(request, ret_problem)) {
		return false;
	}
	request->think = options->reasoning != ENGINE_REASONING_NONE && !request->call_name &&
	                 request->forced.n == 0;
	return chat_template_apply(
	        request->messages, request->think, &request->prompts[0], ret_problem);
}

uint64_t engine_request_hash(const struct engine_request *request)
{
	uint64_t hash = (uint64_t)request->max_tokens << 32 | (uint64_t)request->n << 8 |
	                (request->endpoint == ENDPOINT_COMPLETION);
	for (uint32_t i = 0; i < request->n_prompts; i++) {
		hash = tokens_hash(&request->prompts[i], hash);
	}
	return rng_mix_pair(hash, request->sampling.seed);
}

const struct tokens *engine_request_prompt(const struct engine_request *request, uint32_t choice)
{
	return &request->prompts[choice / (uint32_t)request->n];
}

void engine_request_finish(struct engine_request *request)
{
	free(request->model);
	free(request->tool_named);
	free(request->call_name);
	free(request->sampling.bias);
	tokens_finish(&request->forced);
	for (uint32_t i = 0; i < ENGINE_STOPS_MAX; i++) {
		buf_finish(&request->stops[i]);
	}
	for (uint32_t i = 0; i < ENGINE_PROMPTS_MAX; i++) {
		tokens_finish(&request->prompts[i]);
	}
	*request = (struct engine_request){0};
}
