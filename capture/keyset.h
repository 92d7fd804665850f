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

#define KEYSET_KEY_LIMIT 39

struct keyset_entry {
	uint8_t kind;   /* a kind that the caller defines */
	uint8_t length; /* 0 and kind 0: a free place */
	uint8_t key[KEYSET_KEY_LIMIT];
};

struct keyset {
	struct keyset_entry *entries;
	size_t n, places;
};

/* False: it was already there. kind must not be 0. */
bool keyset_add(struct keyset *s, uint8_t kind, struct span key);
bool keyset_has(const struct keyset *s, uint8_t kind, struct span key);
void keyset_finish(struct keyset *s);
