#pragma once
/*
 * meaning_counts - counts pairs of answers by the result of comparing their meanings. All counts
 * are whole numbers, so the order of adding does not matter. Needs no freeing.
 */
#include "analyzer/opinions/gold.h"
#include "analyzer/compare/meaning/meaning.h"

struct meaning_counts { /* zero-initialised: empty */
	uint64_t pairs;
	uint64_t rungs[N_RUNGS];
	uint64_t classes[N_MEANING_CLASSES];
	uint64_t severities[N_MEANING_SEVERITIES];
	uint64_t bases[N_MEANING_BASES][N_MEANING_CLASSES]; /* by basis, then by class */
	uint64_t marks[N_MEANING_MARKS];                    /* pairs with the mark 1 << i */
	struct gold_counts gold;
	struct {
		uint64_t pairs; /* pairs with calls on at least one side */
		/* numbers of calls: sums of members of struct calls_difference */
		uint64_t base, test, matched, named;
		/* calls with a schema; those that conform to it */
		uint64_t base_checked, base_valid;
		uint64_t test_checked, test_valid;
	} calls;
	struct {
		uint64_t one;            /* pairs where only one side shows its reasoning */
		uint64_t rungs[N_RUNGS]; /* pairs where both sides do, by rung */
		uint64_t base_bytes, test_bytes;
	} reasoning;
};

void meaning_counts_add(struct meaning_counts *c, const struct meaning *m);
