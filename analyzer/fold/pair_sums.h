#pragma once
/*
 * pair_sums - sums over the pairs of one group and one decoding that pair_metrics.h does not have:
 * figures by cluster, distributions of token figures, survival, first differences, meaning. Memory
 * is limited and does not grow with the number of pairs. The result is the same, bit for bit, in
 * whatever order pairs are added.
 */
#include "analyzer/compare/meaning/meaning.h"
#include "analyzer/compare/tokens/first_difference_kind.h"
#include "analyzer/fold/figure.h"
#include "analyzer/fold/first_differences.h"
#include "analyzer/opinions/gold.h"
#include "analyzer/rows/rows.h"
#include "analyzer/stats/log_histogram.h"
#include "analyzer/stats/survival.h"

/*
 * Counts of the results of comparing meanings (compare/meaning/meaning.h). Whole numbers only, so
 * the order of adding does not matter. Nothing to free.
 */
struct meaning_counts { /* zero-initialised: empty */
	uint64_t pairs;
	uint64_t rungs[N_RUNGS];
	uint64_t classes[N_MEANING_CLASSES];
	struct gold_counts gold;
};

void meaning_counts_add(struct meaning_counts *c, const struct meaning *m);

struct pair_sums { /* zero-initialised: empty */
	/* N_FIGURE_COLUMNS columns (figure.h); NULL: nothing was added yet */
	struct clusters *clusters;
	struct crossing crossing; /* the same, over answers with a seed */
	struct survival survival;
	struct signed_histogram delta_lp, delta_p; /* for tokens that both sides chose */
	struct log_histogram kl_low;
	struct log_histogram noise; /* |first_noise()| of positions before the first difference */
	/* position_gap() of the positions up to the first difference */
	struct log_histogram gaps;
	struct first_differences firsts;
	struct meaning_counts meanings;
	/* infer-check's severities: identical; similarity of words at least 0.8; at least 0.5;
	 * less */
	uint64_t tiers[4];
	uint64_t rank_unlisted; /* positions where the test's token is not in the base's list */
	/* sum of struct positions.hidden_much */
	uint64_t hidden_much;
};

/* Adds a row that has_choices; facts: of its comparison. */
void pair_sums_add(struct pair_sums *t, const struct pair_row *row, const struct pair_facts *facts);
void pair_sums_finish(struct pair_sums *t);
