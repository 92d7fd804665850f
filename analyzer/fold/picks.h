#pragma once
/*
 * picks - selects pairs of answers for a report: the worst ones, and some random ones, so that a
 * reader sees ordinary pairs too.
 *
 * Pairs are ranked by one number, which compares in this order:
 *
 *	1. greedy answers before others
 *	2. the severity of the change of meaning
 *	3. decided pairs before undecided ones
 *	4. the shift at the first difference (compare/tokens/first_difference_kind.h)
 *	5. the similarity of the texts: the less similar, the worse
 *
 * Equal answers are never among the worst. The random pairs are those with the smallest hashes.
 * Both lists depend only on the pairs, not on the order of adding.
 */
#include <stddef.h>
#include <stdint.h>

#include "analyzer/compare/meaning/meaning.h"
#include "analyzer/fold/pair_sums.h"
#include "base/id.h"

struct pick {
	struct id exchange, base, test; /* base, test: legs */
	int32_t choice;
	uint32_t decoding;
	uint32_t traces; /* signs of causes in the pair, bits: 1 << enum cause_trace */
	uint64_t rank;   /* pick_rank(): higher is worse */
	uint64_t hash;   /* pair_row_key() */
};

struct pick_list {
	struct pick *items;
	size_t n;
};

struct picks {                          /* zero-initialised: empty */
	struct pick_list worst, random; /* worst: by falling rank; random: by rising hash */
};

/* The rank as above; 0: the answers are equal. */
uint64_t pick_rank(const struct pair_facts *facts, const struct meaning *meaning, bool greedy);
/* Adds a pair to each list if it belongs there. most: the most items of each list; must be the
 * same in every call. */
void picks_consider(struct picks *p, size_t most, const struct pick *pick);
void picks_finish(struct picks *p);
bool pick_is_same(const struct pick *a, const struct pick *b); /* the same exchange, legs, choice */
