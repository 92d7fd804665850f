#pragma once
/*
 * keyset - a set of keys: each is a short byte string and a kind, a number that the caller defines.
 * Zero-initialised is empty. One thread.
 *
 * A key longer than KEYSET_KEY_LIMIT bytes is cut to that length; keys of rows are shorter.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/hash_table.h"

#define KEYSET_KEY_LIMIT 39

struct keyset_entry {
	uint8_t kind; /* not 0 */
	uint8_t length;
	uint8_t key[KEYSET_KEY_LIMIT];
};

struct keyset {
	struct hash_table table;
};

/* Adds a key. False: the set has it already. kind must not be 0. */
bool keyset_add(struct keyset *s, uint8_t kind, struct span key);
bool keyset_has(const struct keyset *s, uint8_t kind, struct span key);
/* Gives the next key, in no particular order; it is valid until the set changes. *at must be 0 at
 * first. False: no more. */
bool keyset_next(const struct keyset *s, size_t *at, uint8_t *ret_kind, struct span *ret_key);
void keyset_finish(struct keyset *s);
