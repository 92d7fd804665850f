#include "capture/formats/otel_value.h"

#include <math.h>

#define VALUE_DEPTH 16

static bool put_value(struct span value, unsigned depth, struct buf *to);

/* Writes {"values": [...]} as an array, or, if it contains keys and values, as an object. */
static bool put_values(struct span holder, bool keyed, unsigned depth, struct buf *to)
{
	struct json j;
	struct json_token t;
	struct span list, key, value;
	buf_append_char(to, keyed ? '{' : '[');
	if (json_find_member(holder, "values", &t, &list) && t.type == JSON_ARRAY) {
		json_begin_lenient(&j, list);
		for (size_t i = 0; (t = json_next(&j)).type == JSON_OBJECT; i++) {
			struct span each = json_skip(&j, &t);
			buf_append_str(to, i ? "," : "");
			if (keyed) {
				if (!json_find_member(each, "key", &t, &key) ||
				        t.type != JSON_STRING ||
				        !json_find_member(each, "value", &t, &value)) {
					return false;
				}
				buf_append_span(to, key);
				buf_append_char(to, ':');
			}
			if (!put_value(keyed ? value : each, depth + 1, to)) {
				return false;
			}
		}
	}
	buf_append_char(to, keyed ? '}' : ']');
	return true;
}

static bool put_value(struct span value, unsigned depth, struct buf *to)
{
	static const char *const KINDS[] = {
	        "stringValue", "doubleValue", "boolValue", "intValue", "arrayValue", "kvlistValue"};
	struct json j;
	struct json_token t;
	struct span all;
	json_init_lenient(&j, value.data, value.len);
	if (depth > VALUE_DEPTH) {
		return false;
	}
	if (json_next(&j).type != JSON_OBJECT) {
		buf_append_span(to, value);
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(KINDS); i++) {
		if (!json_find_member(value, KINDS[i], &t, &all)) {
			continue;
		}
		if (i >= 4) {
			return t.type == JSON_OBJECT && put_values(all, i == 5, depth, to);
		}
		/* OTLP writes 64-bit numbers as strings. */
		all = i == 3 && t.type == JSON_STRING ? json_raw(&t) : all;
		buf_append_span(to, all);
		return all.len > 0;
	}
	buf_append_span(to, value);
	return true;
}

bool otel_value_put(struct span value, struct buf *to)
{
	size_t before = to->len;
	struct json j;
	if (put_value(value, 0, to)) {
		json_init_lenient(&j, to->data + before, to->len - before);
		struct json_token t = json_next(&j);
		if (json_skip(&j, &t).len && json_next(&j).type == JSON_END) {
			return true;
		}
	}
	to->len = before;
	return false;
}

enum json_type otel_value_type(struct span json)
{
	struct json j;
	struct json_token t = json_begin_lenient(&j, json);
	return json_skip(&j, &t).len && json_next(&j).type == JSON_END ? t.type : JSON_ERROR;
}

enum json_type otel_value_open(struct span value, struct buf *to, bool *ret_text)
{
	struct buf plain = {0};
	struct json j;
	*ret_text = false;
	buf_clear(to);
	if (!value.len || !otel_value_put(value, &plain)) {
		buf_finish(&plain);
		return JSON_ERROR;
	}
	struct json_token t = json_begin_lenient(&j, buf_span(&plain));
	enum json_type type = t.type;
	if (type == JSON_STRING) {
		*ret_text = true;
		json_unescape(&t, to);
		enum json_type inner = otel_value_type(buf_span(to));
		type = inner == JSON_ARRAY || inner == JSON_OBJECT ? inner : JSON_STRING;
	} else {
		buf_append_span(to, buf_span(&plain));
	}
	buf_finish(&plain);
	return type;
}

bool otel_value_quoted(struct span value, struct buf *to)
{
	buf_clear(to);
	if (value.len && otel_value_put(value, to) &&
	        otel_value_type(buf_span(to)) == JSON_STRING) {
		return true;
	}
	buf_clear(to);
	return false;
}

bool otel_value_number(struct span value, struct buf *to)
{
	struct buf plain = {0};
	struct json j;
	bool is_text;
	(void)otel_value_open(value, &plain, &is_text);
	struct json_token t = json_begin(&j, buf_span(&plain));
	bool good = t.type == JSON_NUMBER && isfinite(json_number(&t)) &&
	            json_next(&j).type == JSON_END;
	if (good) {
		buf_append(to, t.start, t.len);
	}
	buf_finish(&plain);
	return good;
}

bool otel_value_texts(struct span value, struct buf *to)
{
	struct buf plain = {0};
	struct json j;
	bool is_text;
	enum json_type type = otel_value_open(value, &plain, &is_text);
	struct json_token t = json_begin(&j, buf_span(&plain));
	if (t.type == JSON_ARRAY) {
		do {
			t = json_next(&j);
		} while (t.type == JSON_STRING);
	}
	bool is_list = type == JSON_ARRAY && t.type == JSON_ARRAY_END;
	if (is_list) {
		buf_append_span(to, buf_span(&plain));
	} else if (is_text) {
		json_put_string(to, buf_span(&plain));
	}
	buf_finish(&plain);
	return is_list || is_text;
}

bool otel_value_count(struct span value, int64_t *ret)
{
	struct buf plain = {0};
	bool is_text;
	struct json j;
	(void)otel_value_open(value, &plain, &is_text);
	struct json_token t = json_begin(&j, buf_span(&plain));
	bool good = json_integer(&t, ret) && *ret >= 0 && *ret < INT32_MAX;
	buf_finish(&plain);
	return good;
}
