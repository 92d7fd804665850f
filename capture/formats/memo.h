#pragma once
/*
 * memo - a hash table from 16-byte hashes to numbers. An entry takes 32 bytes; the table also has
 * empty places. Zero-initialised is empty. One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/hash_table.h"

#define MEMO_KEY_SIZE 16

struct memo_entry {
	uint8_t key[MEMO_KEY_SIZE];
	uint32_t taken; /* 1; part of the key, so that a key of zeros is one, too */
	uint32_t extra;
	uint64_t number;
};

struct memo {
	struct hash_table table;
};

/* The entry of this key, created with zeros if there was none (*ret_new). The entry is valid
 * until the next call. */
struct memo_entry *memo_at(struct memo *m, const uint8_t key[MEMO_KEY_SIZE], bool *ret_new);
/* As memo_at(); the key is the hash of a name and of its kind, what ("session"). */
struct memo_entry *memo_named(struct memo *m, const char *what, struct span name, bool *ret_new);
void memo_finish(struct memo *m);
