#pragma once
/*
 * tally - all sums over the pairs of one group and one decoding: figures by cluster, distributions
 * of token figures, survival, first differences, expected flips.
 *
 * Memory is bounded: it does not grow with the number of pairs. The result is the same, bit for
 * bit, in whatever order pairs are added.
 */
#include "analyzer/compare/tokens/flips.h"
#include "analyzer/fold/figure.h"
#include "analyzer/fold/first_differences.h"
#include "analyzer/fold/meaning_counts.h"
#include "analyzer/rows/rows.h"
#include "analyzer/stats/log_histogram.h"
#include "analyzer/stats/survival.h"

struct tally {                     /* zero-initialised is empty */
	struct clusters *clusters; /* N_FIGURE_COLUMNS; NULL: nothing was added yet */
	struct crossing crossing;  /* for answers with a seed, with the same columns */
	struct survival survival;
	struct signed_histogram delta_lp, delta_p; /* for tokens that both sides chose */
	struct log_histogram kl_low;
	struct log_histogram noise; /* |first_noise()| of positions before the first difference */
	/* up to the first difference: the gap between the base's two most probable tokens */
	struct log_histogram gaps;
	struct first_differences firsts;
	struct meaning_counts meanings;
	uint64_t tiers[4];      /* the severities of infer-check, by similarity */
	uint64_t rank_unlisted; /* positions where the test's token is not in the base's list */
	/* positions with more than 0.2 of the probability mass outside the list */
	uint64_t hidden_much;
};

/* For a row with choices; facts: of its comparison. */
void tally_add(struct tally *t, const struct pair_row *row, const struct pair_facts *facts);
void tally_finish(struct tally *t);
