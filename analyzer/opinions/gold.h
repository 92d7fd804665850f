#pragma once
/*
 * gold - counts pairs of answers by whether each answer is right. All counts are whole numbers, so
 * the order of adding does not matter. Needs no freeing.
 */
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/compare/meaning/meaning.h"

struct gold_counts { /* zero-initialised: empty */
	/* pairs, indexed by the base's result, then the test's */
	uint64_t by[N_MEANING_GOLDS][N_MEANING_GOLDS];
	/* pairs with at least one answer that Math-Verify graded; the caller counts them */
	uint64_t by_library;
};

void gold_add(struct gold_counts *c, enum meaning_gold base, enum meaning_gold test);

uint64_t gold_known(const struct gold_counts *c); /* pairs whose right answer is known */
/* pairs where both sides are known to be right or wrong */
uint64_t gold_judged(const struct gold_counts *c);
/* Judged pairs in which the base is right and the test is wrong, and the reverse: the two numbers
 * of McNemar's test. */
uint64_t gold_broke(const struct gold_counts *c);
uint64_t gold_fixed(const struct gold_counts *c);
/* judged pairs in which the base is right; and in which the test is right */
uint64_t gold_base_right(const struct gold_counts *c);
uint64_t gold_test_right(const struct gold_counts *c);
/* The test's share of right answers minus the base's, over judged pairs, in percentage points;
 * NaN: no pair was judged. */
double gold_score_shift(const struct gold_counts *c);
double gold_p(const struct gold_counts *c); /* exact McNemar test; NaN: no pair was judged */
