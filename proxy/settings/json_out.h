#pragma once
/*
 * json_out - a JSON document, indented, written from its beginning to its end. One thread.
 *
 * key: NULL within an array.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct json_out {
	struct buf text;
	unsigned depth;
	bool has_members; /* of the object or array in progress, so far */
};

void json_out_begin(struct json_out *o, const char *key, char bracket);       /* { or [ */
void json_out_end(struct json_out *o, char bracket);                          /* } or ] */
void json_out_string(struct json_out *o, const char *key, const char *value); /* NULL: null */
void json_out_bool(struct json_out *o, const char *key, bool value);
void json_out_integer(struct json_out *o, const char *key, uint64_t value);
void json_out_number(struct json_out *o, const char *key, double value);
/* A value that is JSON already. */
void json_out_raw(struct json_out *o, const char *key, const char *json);
