#pragma once
/*
 * json_out - appends an indented JSON document to `text`, from its beginning to its end. One
 * thread.
 *
 * key: the member's name; NULL within an array, and for the document itself.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct json_out {
	struct buf text;
	unsigned depth;
	bool has_members; /* the innermost open object or array has members */
};

void json_out_begin(struct json_out *o, const char *key, char bracket);       /* { or [ */
void json_out_end(struct json_out *o, char bracket);                          /* } or ] */
void json_out_string(struct json_out *o, const char *key, const char *value); /* NULL: null */
void json_out_bool(struct json_out *o, const char *key, bool value);
void json_out_integer(struct json_out *o, const char *key, uint64_t value);
void json_out_number(struct json_out *o, const char *key, double value);
/* json: a value that is JSON already. */
void json_out_raw(struct json_out *o, const char *key, const char *json);
