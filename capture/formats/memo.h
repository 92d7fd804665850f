#pragma once
/*
 * memo - a hash table from 16-byte hashes to numbers. An entry takes 32 bytes; the table also has
 * empty places. Zero-initialised is empty. One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define MEMO_KEY_SIZE 16

struct memo_entry {
	uint8_t key[MEMO_KEY_SIZE];
	uint64_t number;
	uint32_t extra;
	bool taken;
};

struct memo {
	struct memo_entry *entries;
	size_t n, places;
};

/* The entry of this key, created with zeros if there was none (*ret_new). The key is used as its
 * own hash. The entry is valid until the next call. */
struct memo_entry *memo_at(struct memo *m, const uint8_t key[MEMO_KEY_SIZE], bool *ret_new);
/* As memo_at(); the key is the hash of a name and of its kind, what ("session"). */
struct memo_entry *memo_named(struct memo *m, const char *what, struct span name, bool *ret_new);
void memo_finish(struct memo *m);
