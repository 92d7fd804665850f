#include "capture/formats/otel_calls.h"

#include "base/json.h"

static bool find_text(struct span object, const char *name, struct span *ret)
{
	struct json_token t;
	return json_find_member(object, name, &t, ret) && t.type == JSON_STRING;
}

/* Writes a value as text, since a chat has arguments and results as texts: a string as it is,
 * any other value as its JSON. */
static void put_as_text(const struct json_token *t, struct span all, struct buf *to)
{
	if (t->type == JSON_STRING) {
		buf_append_span(to, all);
	} else {
		json_put_string(to, all);
	}
}

bool otel_call_put(struct span part, struct buf *to, bool *ret_named)
{
	struct span name, id, arguments;
	struct json_token t;
	if (!find_text(part, "name", &name)) {
		return false;
	}
	buf_append_str(to, to->len ? ",{" : "{");
	*ret_named = find_text(part, "id", &id);
	if (*ret_named) {
		buf_append_str(to, "\"id\":");
		buf_append_span(to, id);
		buf_append_char(to, ',');
	}
	buf_append_str(to, "\"type\":\"function\",\"function\":{\"name\":");
	buf_append_span(to, name);
	buf_append_str(to, ",\"arguments\":");
	if (json_find_member(part, "arguments", &t, &arguments) && t.type != JSON_NULL) {
		put_as_text(&t, arguments, to);
	} else {
		buf_append_str(to, "\"\"");
	}
	buf_append_str(to, "}}");
	return true;
}

bool otel_result_put(struct span part, struct buf *to)
{
	/* The conventions' schema has one name, their examples the other. */
	struct json_token t;
	struct span id, said;
	if (!find_text(part, "id", &id) || (!json_find_member(part, "response", &t, &said) &&
	                                           !json_find_member(part, "result", &t, &said))) {
		return false;
	}
	buf_append_str(to, to->len ? ",{" : "{");
	buf_append_str(to, "\"role\":\"tool\",\"tool_call_id\":");
	buf_append_span(to, id);
	buf_append_str(to, ",\"content\":");
	put_as_text(&t, said, to);
	buf_append_char(to, '}');
	return true;
}

bool otel_calls_copy(struct span list, struct buf *to)
{
	struct json j;
	struct json_token t = json_begin_lenient(&j, list), inner;
	bool good = t.type == JSON_ARRAY;
	while (good && (t = json_next(&j)).type == JSON_OBJECT) {
		struct span call = json_skip(&j, &t), function, name;
		good = json_find_member(call, "function", &inner, &function) &&
		       inner.type == JSON_OBJECT && find_text(function, "name", &name);
		buf_append_str(to, to->len ? "," : "");
		buf_append_span(to, call);
	}
	return good && t.type == JSON_ARRAY_END;
}

/* Writes a tool in the form {"type": "function", "name": ..., ...}: all members but the type
 * describe the function. */
static bool put_flat_tool(struct span tool, struct buf *to)
{
	struct span name;
	struct json j;
	struct json_token t;
	bool any = false;
	if (!find_text(tool, "name", &name)) {
		return false;
	}
	buf_append_str(to, "{\"type\":\"function\",\"function\":{");
	json_begin_lenient(&j, tool);
	while ((t = json_next(&j)).type == JSON_KEY) {
		struct json_token value = json_next(&j);
		struct span all = json_skip(&j, &value);
		if (json_is_key(&t, "type")) {
			continue;
		}
		buf_append_str(to, any ? "," : "");
		any = true;
		buf_append(to, t.start, t.len);
		buf_append_char(to, ':');
		buf_append_span(to, all);
	}
	buf_append_str(to, "}}");
	return true;
}

bool otel_tools_put(struct span list, struct buf *to)
{
	struct json j;
	struct json_token t = json_begin_lenient(&j, list), inner;
	bool good = t.type == JSON_ARRAY, any = false;
	buf_append_char(to, '[');
	while (good && (t = json_next(&j)).type == JSON_OBJECT) {
		struct span tool = json_skip(&j, &t);
		buf_append_str(to, any ? "," : "");
		any = true;
		if (json_find_member(tool, "function", &inner, NULL) && inner.type == JSON_OBJECT) {
			buf_append_span(to, tool); /* already in the chat's form */
		} else {
			good = put_flat_tool(tool, to);
		}
	}
	buf_append_char(to, ']');
	return good && t.type == JSON_ARRAY_END;
}
