#pragma once
/*
 * json_beside - the pull reader and jansson in one file, for tests that hold the one against the
 * other.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Both have these names, and are wanted here. */
#define json_type jansson_type
#define json_integer jansson_integer
#define JSON_OBJECT JANSSON_OBJECT
#define JSON_ARRAY JANSSON_ARRAY
#define JSON_STRING JANSSON_STRING
#define JSON_INTEGER JANSSON_INTEGER
#define JSON_REAL JANSSON_REAL
#define JSON_TRUE JANSSON_TRUE
#define JSON_FALSE JANSSON_FALSE
#define JSON_NULL JANSSON_NULL
#include <jansson.h>
#undef json_type
#undef json_integer
#undef json_is_string
#undef JSON_OBJECT
#undef JSON_ARRAY
#undef JSON_STRING
#undef JSON_INTEGER
#undef JSON_REAL
#undef JSON_TRUE
#undef JSON_FALSE
#undef JSON_NULL

#include "base/json.h"
#include "base/mem.h"

/* The document as jansson would hold it, but read by us. NULL: refused. */
static json_t *build(struct json *j, const struct json_token *t)
{
	struct buf text = {0};
	json_t *value = NULL;
	struct json_token next;
	int64_t integer;
	switch (t->type) {
	case JSON_OBJECT:
		value = json_object();
		while ((next = json_next(j)).type == JSON_KEY) {
			json_unescape(&next, &text);
			struct json_token first = json_next(j);
			json_t *member = build(j, &first);
			if (!member) {
				break;
			}
			buf_cstr(&text);
			json_object_setn_new_nocheck(value, text.data, text.len, member);
			buf_clear(&text);
		}
		buf_finish(&text);
		break;
	case JSON_ARRAY:
		value = json_array();
		while ((next = json_next(j)).type != JSON_ARRAY_END) {
			json_t *item = build(j, &next);
			if (!item) {
				break;
			}
			json_array_append_new(value, item);
		}
		break;
	case JSON_STRING:
		json_unescape(t, &text);
		buf_cstr(&text);
		value = json_stringn_nocheck(text.data, text.len);
		buf_finish(&text);
		break;
	case JSON_NUMBER:
		return json_integer(t, &integer) ? json_pack("I", (json_int_t)integer)
		                                 : json_real(json_number(t));
	case JSON_TRUE:
		return json_true();
	case JSON_FALSE:
		return json_false();
	case JSON_NULL:
		return json_null();
	default:
		return NULL;
	}
	if (j->error) {
		json_decref(value);
		return NULL;
	}
	return value;
}

static json_t *read_ours(const char *text, size_t len)
{
	struct json j;
	json_init(&j, text, len);
	struct json_token t = json_next(&j);
	json_t *value = build(&j, &t);
	if (value && json_next(&j).type != JSON_END) {
		json_decref(value);
		return NULL;
	}
	return value;
}

/* What jansson refuses and we do not: numbers beyond its types, lone surrogates, U+0000 in a key.
 */
static bool is_liberty(const json_error_t *error)
{
	return json_error_code(error) == json_error_numeric_overflow ||
	       strstr(error->text, "invalid Unicode") ||
	       json_error_code(error) == json_error_null_byte_in_key;
}
