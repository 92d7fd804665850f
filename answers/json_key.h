#pragma once
/*
 * json_key - compares a JSON key with a literal. It copies nothing, and decodes only keys with
 * escapes. Pure.
 */
#include <string.h>

#include "base/json.h"

/* name: n bytes, then a NUL. */
static inline bool key_is_bytes(const struct json_token *key, const char *name, size_t n)
{
	if (key->escaped) {
		return json_token_is_key(key, name);
	}
	return key->len == n + 2 && memcmp(key->start + 1, name, n) == 0;
}

#define KEY_IS(key, literal) key_is_bytes((key), (literal), sizeof(literal) - 1)
