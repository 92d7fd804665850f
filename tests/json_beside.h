#pragma once
/*
 * json_beside - reads a document with our JSON reader (base/json.h) into jansson's values, for
 * tests that compare the two. The caller owns the values.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/json.h"
#include "base/mem.h"

/* The value that begins with this token. NULL: malformed. */
static json_t *build(struct json *j, const struct json_token *t)
{
	struct buf text = {0};
	json_t *value = NULL;
	struct json_token next;
	int64_t integer;
	switch (t->type) {
	case JSON_TOKEN_OBJECT:
		value = json_object();
		while ((next = json_next(j)).type == JSON_TOKEN_KEY) {
			json_token_unescape(&next, &text);
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
	case JSON_TOKEN_ARRAY:
		value = json_array();
		while ((next = json_next(j)).type != JSON_TOKEN_ARRAY_END) {
			json_t *item = build(j, &next);
			if (!item) {
				break;
			}
			json_array_append_new(value, item);
		}
		break;
	case JSON_TOKEN_STRING:
		json_token_unescape(t, &text);
		buf_cstr(&text);
		value = json_stringn_nocheck(text.data, text.len);
		buf_finish(&text);
		break;
	case JSON_TOKEN_NUMBER:
		return json_token_integer(t, &integer) ? json_pack("I", (json_int_t)integer)
		                                       : json_real(json_token_number(t));
	case JSON_TOKEN_TRUE:
		return json_true();
	case JSON_TOKEN_FALSE:
		return json_false();
	case JSON_TOKEN_NULL:
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

/* The whole text as a value. NULL: malformed. */
static json_t *read_ours(const char *text, size_t len)
{
	struct json j;
	json_init(&j, text, len);
	struct json_token t = json_next(&j);
	json_t *value = build(&j, &t);
	if (value && json_next(&j).type != JSON_TOKEN_END) {
		json_decref(value);
		return NULL;
	}
	return value;
}

/* True if jansson rejects what our reader accepts: numbers beyond jansson's types, lone surrogates,
 * U+0000 in a key. */
static bool is_liberty(const json_error_t *error)
{
	return json_error_code(error) == json_error_numeric_overflow ||
	       strstr(error->text, "invalid Unicode") ||
	       json_error_code(error) == json_error_null_byte_in_key;
}
