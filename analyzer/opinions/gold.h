#pragma once
/*
 * gold - counts the answers of two sides by whether they are right. Whole numbers only, so the
 * order of adding does not matter. Needs no freeing.
 */
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/compare/meaning/meaning.h"

struct gold_counts {                                   /* zero-initialised is empty */
	uint64_t by[N_MEANING_GOLDS][N_MEANING_GOLDS]; /* pairs: the base's, the test's */
	uint64_t by_library; /* pairs with at least one answer graded by Math-Verify */
};

void gold_add(struct gold_counts *c, enum meaning_gold base, enum meaning_gold test);

uint64_t gold_known(const struct gold_counts *c);  /* pairs of tasks whose right answer is known */
uint64_t gold_judged(const struct gold_counts *c); /* of these: both sides are right or wrong */
/* Of the judged pairs: base right and test wrong, and the reverse; the numbers of McNemar's
 * test. */
uint64_t gold_broke(const struct gold_counts *c);
uint64_t gold_fixed(const struct gold_counts *c);
uint64_t gold_base_right(const struct gold_counts *c); /* of the judged pairs */
uint64_t gold_test_right(const struct gold_counts *c);
/* The test's score minus the base's, in percentage points; NaN: no pair was judged. */
double gold_score_shift(const struct gold_counts *c);
double gold_p(const struct gold_counts *c); /* exact McNemar test; NaN: no pair was judged */
