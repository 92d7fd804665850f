#pragma once
/*
 * picks - selects pairs of answers for a report: the worst ones, and some random ones, so that a
 * reader sees ordinary pairs too.
 *
 * Pairs are ranked by one number. It orders greedy answers before others; then by severity of the
 * change of meaning, decided pairs before undecided ones; then by the gap between the two tokens at
 * the first difference; then by the similarity of the texts. Equal answers are never among the
 * worst. The random pairs are those with the smallest hashes. Both lists depend only on the pairs,
 * not on the order of adding. Memory is limited by the number of pairs that is wanted.
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
	uint32_t traces; /* signs of causes in the pair: 1 << enum cause_trace */
	uint64_t rank;   /* higher is worse; 0: the answers are equal */
	uint64_t hash;
};

struct pick_list {
	struct pick *items;
	size_t n;
};

struct picks {                          /* zero-initialised: empty */
	struct pick_list worst, random; /* sorted, at most the wanted number */
};

uint64_t pick_rank(const struct pair_facts *facts, const struct meaning *meaning, bool greedy);
/* Adds a pair to the lists if it belongs there. most: the number that is wanted for each list;
 * must be the same in every call. */
void picks_consider(struct picks *p, size_t most, const struct pick *pick);
void picks_finish(struct picks *p);
bool pick_is_same(const struct pick *a, const struct pick *b); /* true if both are the same pair */
