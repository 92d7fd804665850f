#include "imports/otel_message.h"

#include "base/json.h"

static const char *const ROLE[] = {"role"}, *const CONTENT[] = {"content"},
                         *const PARTS[] = {"parts"}, *const TYPE[] = {"type"},
                         *const TEXT[] = {"text"};

static bool has(struct span object, const char *const *name)
{
	struct json_token t;
	return json_find(object, name, 1, &t, NULL);
}

static bool has_text(struct span object, const char *const *name, struct json_token *ret)
{
	return json_find(object, name, 1, ret, NULL) && ret->type == JSON_STRING;
}

static bool is_message_like(struct span object)
{
	return has(object, ROLE) || has(object, CONTENT) || has(object, PARTS);
}

static bool is_part(struct span object)
{
	struct json_token t;
	return has_text(object, TYPE, &t);
}

/* A list of such objects, with one at least. */
static bool is_list_of(struct span list, bool (*fits)(struct span object))
{
	struct json j;
	json_init_lenient(&j, list.data, list.len);
	struct json_token t = json_next(&j);
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
	return has(object, ROLE) && (has(object, CONTENT) || has(object, PARTS));
}

bool otel_is_parts(struct span list)
{
	return is_list_of(list, is_part);
}

bool otel_calls_tools(struct span message)
{
	static const char *const CALLS[] = {"tool_calls"}, *const CALL[] = {"function_call"};
	struct json_token t;
	struct span all;
	if (json_find(message, CALL, 1, &t, &all) && t.type == JSON_OBJECT) {
		return true;
	}
	if (!json_find(message, CALLS, 1, &t, &all) || t.type != JSON_ARRAY) {
		return false;
	}
	struct json j;
	json_init_lenient(&j, all.data, all.len);
	(void)json_next(&j);
	return json_next(&j).type != JSON_ARRAY_END;
}

bool otel_join_parts(struct span list, struct buf *text, struct buf *reasoning)
{
	struct json j;
	json_init_lenient(&j, list.data, list.len);
	struct json_token t, type, content;
	(void)json_next(&j);
	while ((t = json_next(&j)).type == JSON_OBJECT) {
		struct span each = json_skip(&j, &t);
		/* As the conventions name it, or as a chat does. */
		if (!has_text(each, TYPE, &type) ||
		        (!has_text(each, CONTENT, &content) && !has_text(each, TEXT, &content))) {
			return false;
		}
		bool thought = reasoning && json_is_string(&type, "reasoning");
		if (!thought && !json_is_string(&type, "text")) {
			return false;
		}
		json_unescape(&content, thought ? reasoning : text);
	}
	return t.type == JSON_ARRAY_END;
}

bool otel_join_message(struct span message, struct buf *text, struct buf *reasoning)
{
	struct json_token t;
	struct span all;
	if (otel_calls_tools(message)) {
		return false;
	}
	if (json_find(message, PARTS, 1, &t, &all)) {
		return t.type == JSON_ARRAY && otel_join_parts(all, text, reasoning);
	}
	if (!json_find(message, CONTENT, 1, &t, &all)) {
		return false;
	}
	if (t.type == JSON_STRING) {
		json_unescape(&t, text);
		return true;
	}
	return t.type == JSON_ARRAY && otel_join_parts(all, text, reasoning);
}
