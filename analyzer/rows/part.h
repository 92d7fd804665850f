#pragma once
/*
 * part - selects the exchanges of a capture for one of several processes or threads, and a sample
 * of them for expensive work. Both use the hash of the prompt, so that repeats of a prompt stay
 * together and the order does not matter.
 */
#include <stdbool.h>
#include <stdint.h>

#include "capture/record.h"

struct part {
	unsigned number, of; /* part `number` (from 1) of `of` parts; of 0: all exchanges */
};

bool part_has_prompt(const struct exchange_row *row); /* true if the prompt's hash is known */
/* A hash of the prompt's hash; if there is none, of the exchange's id. */
uint64_t part_hash(const struct exchange_row *row);
uint64_t part_hash_name(const char *name); /* hash of a name of a model or backend; NULL: 0 */

static inline bool part_has(struct part p, uint64_t hash)
{
	return p.of == 0 || hash % p.of == p.number - 1;
}

static inline bool part_is_whole(struct part p)
{
	return p.of <= 1;
}

/* True for about `wanted` of `all` exchanges; always true if `all` is at most `wanted`. hash:
 * part_hash(). */
static inline bool part_chooses(uint64_t hash, uint64_t wanted, uint64_t all)
{
	return all <= wanted || hash / (UINT64_MAX / all + 1) < wanted;
}
