#include "backends/engine/chat_template.h"

#include "backends/engine/engine_request.h"
#include "base/json.h"

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

bool chat_template_apply(
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
