#pragma once
/*
 * tally - all sums over the pairs of one group and one decoding: figures by cluster, distributions
 * of token figures, survival, first differences, expected flips.
 *
 * Memory is limited and does not grow with the number of pairs. The result is the same, bit for
 * bit, in whatever order pairs are added.
 */
#include "analyzer/compare/tokens/flips.h"
#include "analyzer/fold/figure.h"
#include "analyzer/fold/first_differences.h"
#include "analyzer/fold/meaning_counts.h"
#include "analyzer/rows/rows.h"
#include "analyzer/stats/log_histogram.h"
#include "analyzer/stats/survival.h"

struct tally {                     /* zero-initialised: empty */
	struct clusters *clusters; /* N_FIGURE_COLUMNS figures; NULL: nothing was added yet */
	struct crossing crossing;  /* the same figures over answers with a seed */
	struct survival survival;
	struct signed_histogram delta_lp, delta_p; /* for tokens that both sides chose */
	struct log_histogram kl_low;
	struct log_histogram noise; /* |first_noise()| of positions before the first difference */
	/* position_gap() of the positions up to the first difference */
	struct log_histogram gaps;
	struct first_differences firsts;
	struct meaning_counts meanings;
	uint64_t tiers[4];      /* the severities of infer-check, by similarity */
	uint64_t rank_unlisted; /* positions where the test's token is not in the base's list */
	/* sum of positions.hidden_much */
	uint64_t hidden_much;
};

/* Adds a row with choices; facts: of its comparison. */
void tally_add(struct tally *t, const struct pair_row *row, const struct pair_facts *facts);
void tally_finish(struct tally *t);
