#pragma once
/*
 * digest_map - a hash table that maps 16-byte keys, which are hashes, to numbers. An entry takes 32
 * bytes; the table also has free places. Zero-initialised is empty. One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/hash_table.h"

#define DIGEST_KEY_SIZE 16

struct digest_entry {
	uint8_t key[DIGEST_KEY_SIZE];
	uint32_t taken; /* always 1, so that no entry is all zeros, as free places are */
	uint32_t extra;
	uint64_t number;
};

struct digest_map {
	struct hash_table table;
};

/* The entry with this key, valid until the next call; the caller may change `extra` and `number`.
 * *ret_new true: the entry was missing, and was added with 0 in both. */
struct digest_entry *digest_map_at(
        struct digest_map *m, const uint8_t key[DIGEST_KEY_SIZE], bool *ret_new);
/* As digest_map_at(), for the key that is the hash of `what` (a kind of names, such as "session")
 * and the name. */
struct digest_entry *digest_map_named(
        struct digest_map *m, const char *what, struct span name, bool *ret_new);
void digest_map_finish(struct digest_map *m);
