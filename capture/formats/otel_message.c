#include "capture/formats/otel_message.h"

#include "base/json.h"
#include "capture/formats/otel_calls.h"

static bool has(struct span object, const char *name)
{
	struct json_token t;
	return json_find_member(object, name, &t, NULL);
}

static bool has_text(struct span object, const char *name, struct json_token *ret)
{
	return json_find_member(object, name, ret, NULL) && ret->type == JSON_STRING;
}

static bool is_message_like(struct span object)
{
	return has(object, "role") || has(object, "content") || has(object, "parts");
}

static bool is_part(struct span object)
{
	struct json_token t;
	return has_text(object, "type", &t);
}

/* Whether the list consists of one or more objects that fit. */
static bool is_list_of(struct span list, bool (*fits)(struct span object))
{
	struct json j;
	struct json_token t = json_begin_lenient(&j, list);
	bool is_list = t.type == JSON_ARRAY, any = false;
	while (is_list && (t = json_next(&j)).type == JSON_OBJECT && fits(json_skip(&j, &t))) {
		any = true;
	}
	return any && t.type == JSON_ARRAY_END;
}

bool otel_is_messages(struct span list)
{
	return is_list_of(list, is_message_like);
}

bool otel_is_message(struct span object)
{
	return has(object, "role") && (has(object, "content") || has(object, "parts"));
}

bool otel_is_parts(struct span list)
{
	return is_list_of(list, is_part);
}

bool otel_calls_tools(struct span message)
{
	struct json_token t;
	struct span all;
	if (json_find_member(message, "function_call", &t, &all) && t.type == JSON_OBJECT) {
		return true;
	}
	if (!json_find_member(message, "tool_calls", &t, &all) || t.type != JSON_ARRAY) {
		return false;
	}
	struct json j;
	json_begin_lenient(&j, all);
	return json_next(&j).type != JSON_ARRAY_END;
}

/* Reads a part by its type. False: its type is unknown, or the part is malformed. */
static bool take_part(struct otel_content *s, struct span part)
{
	struct json_token type, content;
	bool named = true;
	if (!has_text(part, "type", &type)) {
		return false;
	}
	if (json_is_string(&type, "tool_call")) {
		bool good = otel_call_put(part, &s->calls, &named);
		s->nameless |= !named;
		return good;
	}
	if (json_is_string(&type, "tool_call_response")) {
		s->n_results++;
		return otel_result_put(part, &s->results);
	}
	bool thought = json_is_string(&type, "reasoning");
	/* As the conventions name it, or as a chat does. */
	if ((!thought && !json_is_string(&type, "text")) ||
	        (!has_text(part, "content", &content) && !has_text(part, "text", &content))) {
		return false;
	}
	s->has_text |= !thought;
	json_unescape(&content, thought ? &s->reasoning : &s->text);
	return true;
}

static bool take_parts(struct otel_content *s, struct span list)
{
	struct json j;
	struct json_token t;
	bool good = true;
	json_begin_lenient(&j, list);
	while (good && (t = json_next(&j)).type == JSON_OBJECT) {
		good = take_part(s, json_skip(&j, &t));
	}
	return good && t.type == JSON_ARRAY_END;
}

/* Reads a message in the chat's form: calls are beside the content, which may then be null. */
static bool take_chat_message(struct otel_content *s, struct span message)
{
	struct json_token t;
	struct span all;
	bool calls = otel_calls_tools(message);
	if (calls && (!json_find_member(message, "tool_calls", &t, &all) ||
	                     !otel_calls_copy(all, &s->calls))) {
		return false;
	}
	if (!json_find_member(message, "content", &t, &all) || t.type == JSON_NULL) {
		return calls;
	}
	if (t.type == JSON_STRING) {
		s->has_text = true;
		json_unescape(&t, &s->text);
		return true;
	}
	return t.type == JSON_ARRAY && take_parts(s, all);
}

bool otel_content_read(struct otel_content *s, struct span message)
{
	struct json_token t;
	struct span all;
	struct buf *const own[] = {&s->text, &s->reasoning, &s->calls, &s->results};
	for (size_t i = 0; i < ARRAY_LEN(own); i++) {
		buf_clear(own[i]);
	}
	s->n_results = 0;
	s->nameless = false;
	s->has_text = false;
	if (json_find_member(message, "parts", &t, &all)) {
		return t.type == JSON_ARRAY && !otel_calls_tools(message) && take_parts(s, all);
	}
	return take_chat_message(s, message);
}

void otel_said_finish(struct otel_content *s)
{
	buf_finish(&s->text);
	buf_finish(&s->reasoning);
	buf_finish(&s->calls);
	buf_finish(&s->results);
}

static bool are_texts(const struct otel_content *s)
{
	return !s->reasoning.len && !s->calls.len && !s->n_results;
}

bool otel_join_parts(struct span list, struct buf *text)
{
	struct otel_content s = {0};
	bool good = take_parts(&s, list) && are_texts(&s);
	buf_append_span(text, buf_span(&s.text));
	otel_said_finish(&s);
	return good;
}

bool otel_join_message(struct span message, struct buf *text)
{
	struct otel_content s = {0};
	bool good = otel_content_read(&s, message) && are_texts(&s);
	buf_append_span(text, buf_span(&s.text));
	otel_said_finish(&s);
	return good;
}
