#pragma once
/*
 * origin_id - ids that are derived from content: equal content has the same id in every import.
 * UUIDs of version 8. The first 48 bits are milliseconds since 1970, so that ids sort by time; the
 * others are bits of a hash of the content. One thread.
 */
#include <sodium.h>

#include "base/buf.h"
#include "base/id.h"

#define ORIGIN_HASH_SIZE 16

struct origin_hash { /* BLAKE2b without a key; the length of each span is hashed before it */
	crypto_generichash_state state;
};

/* what: the kind of the content, so that equal content of another kind has another hash */
void origin_hash_begin(struct origin_hash *h, const char *what);
void origin_hash_span(struct origin_hash *h, struct span s);
void origin_hash_id(struct origin_hash *h, struct id id); /* adds all bits except its time */
void origin_hash_end(struct origin_hash *h, uint8_t to[ORIGIN_HASH_SIZE]);

struct id origin_id(uint64_t ms, const uint8_t hash[ORIGIN_HASH_SIZE]);
/* The id without its time: equal for all ids of the same hash. */
void origin_id_key(struct id id, uint8_t key[ORIGIN_HASH_SIZE]);
