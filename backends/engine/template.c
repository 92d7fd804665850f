#include "backends/engine/template.h"

#include <stdlib.h>

#include "base/json.h"

static bool encode_string(const struct vocabulary *v, const struct json_token *t, struct tokens *to)
{
	struct buf text = {0};
	json_unescape(t, &text);
	vocabulary_encode(v, buf_span(&text), to);
	buf_finish(&text);
	return to->n <= ASK_TOKENS_MAX;
}

/* Encodes one part of a content array: its text, or a token for any other kind of part. */
static bool encode_part(const struct vocabulary *v, struct span part, struct tokens *to)
{
	struct json_token text;
	if (json_find_member(part, "text", &text, NULL) && text.type == JSON_STRING) {
		return encode_string(v, &text, to);
	}
	tokens_push(to, TOKEN_IMAGE);
	return true;
}

static bool encode_content(const struct vocabulary *v, struct span content, struct tokens *to,
        struct ask_problem *ret_problem)
{
	struct json j;
	struct json_token t = json_begin(&j, content);
	if (t.type == JSON_NULL) {
		return true;
	}
	if (t.type == JSON_STRING) {
		return encode_string(v, &t, to) ||
		       ask_fail(ret_problem, 400, "messages", "The prompt is too long.");
	}
	if (t.type != JSON_ARRAY) {
		return ask_fail(ret_problem, 400, "messages",
		        "A message's content must be a string or an array of parts.");
	}
	while ((t = json_next(&j)).type == JSON_OBJECT) {
		if (!encode_part(v, json_skip(&j, &t), to)) {
			return ask_fail(ret_problem, 400, "messages", "The prompt is too long.");
		}
	}
	return t.type == JSON_ARRAY_END ||
	       ask_fail(ret_problem, 400, "messages", "A content part must be an object.");
}

static uint32_t role_token(const struct json_token *role)
{
	if (json_is_string(role, "system") || json_is_string(role, "developer")) {
		return TOKEN_SYSTEM;
	}
	if (json_is_string(role, "assistant")) {
		return TOKEN_ASSISTANT;
	}
	if (json_is_string(role, "tool") || json_is_string(role, "function")) {
		return TOKEN_TOOL;
	}
	return json_is_string(role, "user") ? TOKEN_USER : TOKEN_CONTROLS;
}

static bool encode_message(const struct vocabulary *v, struct span message, struct tokens *to,
        struct ask_problem *ret_problem)
{
	struct json_token role, value;
	struct span content;
	if (!json_find_member(message, "role", &role, NULL) || role.type != JSON_STRING) {
		return ask_fail(ret_problem, 400, "messages", "Each message needs a role.");
	}
	uint32_t token = role_token(&role);
	if (token == TOKEN_CONTROLS) {
		return ask_fail(ret_problem, 400, "messages",
		        "A message's role must be system, developer, user, assistant or tool.");
	}
	tokens_push(to, token);
	if (json_find_member(message, "content", &value, &content) &&
	        !encode_content(v, content, to, ret_problem)) {
		return false;
	}
	if (json_find_member(message, "tool_calls", &value, &content) && value.type == JSON_ARRAY) {
		tokens_push(to, TOKEN_TOOL_CALL);
		vocabulary_encode(v, content, to);
		tokens_push(to, TOKEN_TOOL_CALL_END);
	}
	tokens_push(to, TOKEN_TURN_END);
	return true;
}

bool template_apply(const struct vocabulary *v, struct span messages, bool reasoner,
        struct tokens *to, struct ask_problem *ret_problem)
{
	struct json j;
	struct json_token t = json_begin(&j, messages);
	if (t.type != JSON_ARRAY) {
		return ask_fail(ret_problem, 400, "messages", "messages must be an array.");
	}
	tokens_push(to, TOKEN_BOS);
	size_t empty = to->n;
	while ((t = json_next(&j)).type == JSON_OBJECT) {
		if (!encode_message(v, json_skip(&j, &t), to, ret_problem)) {
			return false;
		}
	}
	if (t.type != JSON_ARRAY_END) {
		return ask_fail(ret_problem, 400, "messages", "A message must be an object.");
	}
	if (to->n == empty) {
		return ask_fail(
		        ret_problem, 400, "messages", "messages must hold at least one message.");
	}
	tokens_push(to, reasoner ? TOKEN_REASONER : TOKEN_ASSISTANT);
	return true;
}
