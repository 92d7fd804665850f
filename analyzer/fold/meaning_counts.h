#pragma once
/*
 * meaning_counts - counts of what pairs of answers have in common. Whole numbers only, so the order
 * of adding does not matter. Nothing to free.
 */
#include "analyzer/opinions/gold.h"
#include "analyzer/compare/meaning/meaning.h"

struct meaning_counts { /* zero-initialised is empty */
	uint64_t pairs;
	uint64_t rungs[N_RUNGS];
	uint64_t classes[N_MEANING_CLASSES];
	uint64_t severities[N_MEANING_SEVERITIES];
	uint64_t bases[N_MEANING_BASES][N_MEANING_CLASSES]; /* what decided, and the class */
	uint64_t marks[N_MEANING_MARKS];                    /* pairs with the mark 1 << i */
	struct gold_counts gold;
	struct {
		uint64_t pairs;                      /* with calls on either side */
		uint64_t base, test, matched, named; /* calls: sums over struct calls_difference */
		/* calls with a schema, and those that are valid */
		uint64_t base_checked, base_valid;
		uint64_t test_checked, test_valid;
	} calls;
	struct {
		uint64_t one;            /* pairs in which only one side shows its reasoning */
		uint64_t rungs[N_RUNGS]; /* pairs in which both sides do, by rung */
		uint64_t base_bytes, test_bytes;
	} reasoning;
};

void meaning_counts_add(struct meaning_counts *c, const struct meaning *m);
