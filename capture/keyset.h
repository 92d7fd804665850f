#pragma once
/*
 * keyset - a set of short byte strings: the keys of rows. Zero-initialised is empty. One thread.
 *
 * Keys longer than KEYSET_KEY_LIMIT are cut to it; those of rows are shorter.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/hash_table.h"

#define KEYSET_KEY_LIMIT 39

struct keyset_entry {
	uint8_t kind; /* a kind that the caller defines; not 0 */
	uint8_t length;
	uint8_t key[KEYSET_KEY_LIMIT];
};

struct keyset {
	struct hash_table table;
};

/* False: it was already there. kind must not be 0. */
bool keyset_add(struct keyset *s, uint8_t kind, struct span key);
bool keyset_has(const struct keyset *s, uint8_t kind, struct span key);
/* The next key, in no particular order; *at begins with 0. False: there is no further one. */
bool keyset_next(const struct keyset *s, size_t *at, uint8_t *ret_kind, struct span *ret_key);
void keyset_finish(struct keyset *s);
