#pragma once
/*
 * tally - all that is summed up over pairs of one group and one decoding to judge them: figures by
 * cluster, distributions of token figures, survival, first differences, expected flips.
 *
 * Bounded: it does not grow with pairs. Adding in any order gives the same bits.
 */
#include "analyzer/compare/tokens/flips.h"
#include "analyzer/fold/figure.h"
#include "analyzer/fold/first_differences.h"
#include "analyzer/fold/meaning_counts.h"
#include "analyzer/rows/rows.h"
#include "analyzer/stats/log_histogram.h"
#include "analyzer/stats/survival.h"

struct tally {                     /* zero-initialised is empty */
	struct clusters *clusters; /* N_FIGURE_COLUMNS; NULL while nothing was added */
	struct crossing crossing;  /* of answers with a seed, as many columns */
	struct survival survival;
	struct signed_histogram delta_lp, delta_p; /* of tokens that both chose */
	struct log_histogram kl_low;
	struct log_histogram noise; /* |first_noise()|, before the first difference */
	struct log_histogram gaps;  /* up to it: between the base's two most probable tokens */
	struct first_differences firsts;
	struct meaning_counts meanings;
	uint64_t tiers[4];      /* infer-check's severities by similarity */
	uint64_t rank_unlisted; /* the test's token is not in the base's list */
	uint64_t hidden_much;   /* positions with over 0.2 of the mass unlisted */
};

/* A row with choices; facts: of its comparison. */
void tally_add(struct tally *t, const struct pair_row *row, const struct pair_facts *facts);
void tally_finish(struct tally *t);

/* The noise of the pair of backends, nats; NaN: fewer than FIRST_NOISE_LEAST positions. */
double tally_sigma(const struct tally *t);
