#pragma once
/*
 * picks - which pairs of answers are worth a look: the worst of all, and some at random, so that
 * the worst are seen among the usual.
 *
 * Pairs are ranked by one number: greedy answers before others; then the severity of what changed
 * in the meaning, and of two as severe the decided one; then how far the choice moved at the first
 * difference; then how unlike the texts are. Equal answers are never among the worst. The random
 * ones are those with the smallest hashes. Both depend on nothing but the pairs: any order of
 * adding gives the same. Bounded by the number that is wanted.
 */
#include <stddef.h>
#include <stdint.h>

#include "analyzer/compare/meaning/meaning.h"
#include "analyzer/fold/tally.h"
#include "base/id.h"

struct pick {
	struct id exchange, base, test; /* base, test: legs */
	int32_t choice;
	uint32_t decoding;
	uint32_t traces; /* 1 << enum cause_trace: what it shows of causes */
	uint64_t rank;   /* 0: equal */
	uint64_t hash;
};

struct pick_list {
	struct pick *items;
	size_t n;
};

struct picks {                          /* zero-initialised is empty */
	struct pick_list worst, random; /* in order, as many as are wanted */
};

uint64_t pick_rank(const struct pair_facts *facts, const struct meaning *meaning, bool greedy);
/* most: how many are wanted of either; the same number in every call. */
void picks_consider(struct picks *p, size_t most, const struct pick *pick);
void picks_finish(struct picks *p);
bool pick_is_same(const struct pick *a, const struct pick *b); /* of one pair */
