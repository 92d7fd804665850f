#include "backends/engine/engine_request.h"

#include <stdlib.h>
#include <string.h>

#include "backends/engine/engine.h"
#include "backends/engine/engine_request_members.h"
#include "backends/engine/schema.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/rng.h"

/*
 * The chat template converts messages to the tokens that the simulated model reads. A chat with one
 * user message becomes:
 *
 *	<|begin|> <|user|> text <|turn_end|> <|assistant|>
 */

static bool fail(struct engine_problem *ret, const char *message)
{
	return engine_problem_set(ret, "messages", "%s", message);
}

static bool is_short(const struct tokens *t, struct engine_problem *ret_problem)
{
	return t->n <= ENGINE_TOKENS_MAX || fail(ret_problem, "The prompt is too long.");
}

/* Encodes a text, or an array of parts: the text of each, or a token for any other kind of part. */
static bool encode_content(
        struct span content, struct tokens *to, struct engine_problem *ret_problem)
{
	struct json j;
	struct json_token text, t = json_begin(&j, content);
	if (t.type == JSON_TOKEN_NULL) {
		return true;
	}
	if (t.type == JSON_TOKEN_STRING) {
		vocabulary_encode_string(&t, to);
		return is_short(to, ret_problem);
	}
	if (t.type != JSON_TOKEN_ARRAY) {
		return fail(
		        ret_problem, "A message's content must be a string or an array of parts.");
	}
	while ((t = json_next(&j)).type == JSON_TOKEN_OBJECT) {
		if (json_find_member(json_skip(&j, &t), "text", &text, NULL) &&
		        text.type == JSON_TOKEN_STRING) {
			vocabulary_encode_string(&text, to);
		} else {
			tokens_push(to, TOKEN_IMAGE);
		}
		if (!is_short(to, ret_problem)) {
			return false;
		}
	}
	return t.type == JSON_TOKEN_ARRAY_END ||
	       fail(ret_problem, "A content part must be an object.");
}

/* Returns the token that begins a turn; TOKEN_CONTROLS: there is no such role. */
static uint32_t role_token(const struct json_token *role)
{
	static const struct {
		const char *name;
		uint32_t token;
	} ROLES[] = {
	        {"system", TOKEN_SYSTEM},
	        {"developer", TOKEN_SYSTEM},
	        {"user", TOKEN_USER},
	        {"assistant", TOKEN_ASSISTANT},
	        {"tool", TOKEN_TOOL},
	        {"function", TOKEN_TOOL},
	};
	for (size_t i = 0; i < ARRAY_LEN(ROLES); i++) {
		if (json_token_is_string(role, ROLES[i].name)) {
			return ROLES[i].token;
		}
	}
	return TOKEN_CONTROLS;
}

static bool encode_message(
        struct span message, struct tokens *to, struct engine_problem *ret_problem)
{
	struct json_token role, value;
	struct span content;
	if (!json_find_member(message, "role", &role, NULL) || role.type != JSON_TOKEN_STRING) {
		return fail(ret_problem, "Each message needs a role.");
	}
	uint32_t token = role_token(&role);
	if (token == TOKEN_CONTROLS) {
		return fail(ret_problem,
		        "A message's role must be system, developer, user, assistant or tool.");
	}
	tokens_push(to, token);
	if (json_find_member(message, "content", &value, &content) &&
	        !encode_content(content, to, ret_problem)) {
		return false;
	}
	if (json_find_member(message, "tool_calls", &value, &content) &&
	        value.type == JSON_TOKEN_ARRAY) {
		tokens_push(to, TOKEN_TOOL_CALL);
		vocabulary_encode(content, to);
		tokens_push(to, TOKEN_TOOL_CALL_END);
	}
	tokens_push(to, TOKEN_TURN_END);
	return true;
}

/* Appends the tokens. reasoner: the answer begins with reasoning. False: *ret_problem says what
 * is wrong with the messages. */
static bool chat_template_apply(
        struct span messages, bool reasoner, struct tokens *to, struct engine_problem *ret_problem)
{
	struct json j;
	struct json_token t = json_begin(&j, messages);
	if (t.type != JSON_TOKEN_ARRAY) {
		return fail(ret_problem, "messages must be an array.");
	}
	tokens_push(to, TOKEN_BOS);
	size_t empty = to->n;
	while ((t = json_next(&j)).type == JSON_TOKEN_OBJECT) {
		if (!encode_message(json_skip(&j, &t), to, ret_problem)) {
			return false;
		}
	}
	if (t.type != JSON_TOKEN_ARRAY_END) {
		return fail(ret_problem, "A message must be an object.");
	}
	if (to->n == empty) {
		return fail(ret_problem, "messages must hold at least one message.");
	}
	tokens_push(to, reasoner ? TOKEN_REASONER : TOKEN_ASSISTANT);
	return true;
}

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
