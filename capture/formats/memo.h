#pragma once
/*
 * memo - a hash table that maps 16-byte keys, which are hashes, to numbers. An entry takes 32
 * bytes; the table also has free places. Zero-initialised is empty. One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/hash_table.h"

#define MEMO_KEY_SIZE 16

struct memo_entry {
	uint8_t key[MEMO_KEY_SIZE];
	uint32_t taken; /* 1; a part of the key, so that a key of zeros is possible */
	uint32_t extra;
	uint64_t number;
};

struct memo {
	struct hash_table table;
};

/* The entry with this key. If there is none, adds one whose `extra` and `number` are 0, and sets
 * *ret_new; the caller may change both members. Valid until the next call. */
struct memo_entry *memo_at(struct memo *m, const uint8_t key[MEMO_KEY_SIZE], bool *ret_new);
/* As memo_at(). The key is the hash of two texts: what kind of name it is (such as "session"),
 * and the name. */
struct memo_entry *memo_named(struct memo *m, const char *what, struct span name, bool *ret_new);
void memo_finish(struct memo *m);
