#pragma once
/*
 * memo - what has been seen, by 16-byte hash: a table of numbers. 32 bytes an entry and its spare
 * room. Zero-initialised is empty. One thread.
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

/* The entry of that key, made with zeros if there was none (*ret_new). Keys are hashes already. Valid
 * until the next call. */
struct memo_entry *memo_at(struct memo *m, const uint8_t key[MEMO_KEY_SIZE], bool *ret_new);
/* The same by a name, hashed with what it is the name of: "session". */
struct memo_entry *memo_named(struct memo *m, const char *what, struct span name, bool *ret_new);
void memo_finish(struct memo *m);
