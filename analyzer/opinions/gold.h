#pragma once
/*
 * gold - answers of two sides held against right ones, counted. Whole numbers only: the order of
 * adding is of no account. Nothing to be freed.
 */
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/compare/meaning/meaning.h"

struct gold_counts {                                   /* zero-initialised is empty */
	uint64_t by[N_MEANING_GOLDS][N_MEANING_GOLDS]; /* pairs: the base's, the test's */
	uint64_t by_library; /* pairs of which Math-Verify graded at least one answer */
};

void gold_add(struct gold_counts *c, enum meaning_gold base, enum meaning_gold test);

uint64_t gold_known(const struct gold_counts *c);  /* pairs with a right answer */
uint64_t gold_judged(const struct gold_counts *c); /* of these, with both sides right or wrong */
/* Of the judged: base right and test wrong, and the other way round; what McNemar's test is made of. */
uint64_t gold_broke(const struct gold_counts *c);
uint64_t gold_fixed(const struct gold_counts *c);
uint64_t gold_base_right(const struct gold_counts *c); /* of the judged */
uint64_t gold_test_right(const struct gold_counts *c);
/* How much higher the test scores, in percentage points; NaN: none was judged. */
double gold_score_shift(const struct gold_counts *c);
double gold_p(const struct gold_counts *c); /* McNemar's, exact; NaN: none was judged */
