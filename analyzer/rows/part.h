#pragma once
/*
 * part - which exchanges of a capture one of several processes or threads takes, and which of
 * many are looked at closely. Both go by the hash of the prompt, so that its repeats stay
 * together and no order matters.
 */
#include <stdbool.h>
#include <stdint.h>

#include "capture/record.h"

struct part {
	unsigned number, of; /* from 1 on; of 0: all exchanges */
};

bool part_has_prompt(const struct exchange_row *row); /* its prompt was hashed */
/* Of the prompt, or of the exchange's id where there is none. */
uint64_t part_hash(const struct exchange_row *row);
uint64_t part_hash_name(const char *name); /* of a model or a backend; NULL: 0 */

static inline bool part_has(struct part p, uint64_t hash)
{
	return p.of == 0 || hash % p.of == p.number - 1;
}

static inline bool part_is_whole(struct part p)
{
	return p.of <= 1;
}

/* Chooses some that are wanted of all. */
static inline bool part_chooses(uint64_t hash, uint64_t wanted, uint64_t all)
{
	return all <= wanted || hash / (UINT64_MAX / all + 1) < wanted;
}
