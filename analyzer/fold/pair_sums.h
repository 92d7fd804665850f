#pragma once
/*
 * pair_sums - sums over the pairs of one group and one decoding: figures by cluster, distributions
 * of token figures, survival, first differences, meaning, lengths, finish reasons. Memory is
 * limited and does not grow with the number of pairs. The result is the same, bit for bit, in
 * whatever order pairs are added. Each figure has its own n: a pair without the data for a figure
 * is left out of that figure only.
 */
#include "analyzer/compare/meaning/meaning.h"
#include "analyzer/compare/tokens/first_difference_kind.h"
#include "analyzer/fold/figure.h"
#include "analyzer/fold/first_differences.h"
#include "analyzer/opinions/gold.h"
#include "analyzer/rows/rows.h"
#include "analyzer/stats/log_histogram.h"
#include "analyzer/stats/survival.h"
#include "base/histogram.h"

/*
 * Counts of the results of comparing meanings (compare/meaning/meaning.h). Whole numbers only, so
 * the order of adding does not matter. Nothing to free.
 */
struct meaning_counts { /* zero-initialised: empty */
	uint64_t pairs;
	uint64_t rungs[N_RUNGS];
	uint64_t classes[N_MEANING_CLASSES];
	uint64_t one_cut; /* of MEANING_STRUCTURAL: those with MEANING_MARK_TRUNCATED */
	struct gold_counts gold;
};

void meaning_counts_add(struct meaning_counts *c, const struct meaning *m);

struct lengths {
	uint64_t n;
	struct exact_sum bias, magnitude; /* sums of test - base, and of its absolute value */
	struct exact_sum base, test;
};

#define PAIR_SUMS_FINISHES 16

struct finish_count {
	char base[ANSWER_FINISH_SIZE], test[ANSWER_FINISH_SIZE];
	uint64_t n;
};

struct pair_sums {      /* zero-initialised: empty */
	uint64_t pairs; /* pairs that were compared */
	uint64_t equal; /* pairs with equal text, refusal and tool calls, byte for byte */
	/* N_FIGURE_COLUMNS columns (figure.h); NULL: nothing was added yet */
	struct clusters *clusters;
	struct crossing crossing; /* the same, over pairs with one seed on both sides */
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
	/* sums of these members of struct positions */
	uint64_t missing_much, top1_unlisted, top5_short, few, few_base, few_test;
	/* logprob of the base's most probable token, test - base, nats */
	struct moments top1_logprob;
	/* probability of a token that both sides chose, test - base */
	struct moments p_change;

	/* with_calls: pairs in which at least one side called tools; calls_equal: those of them
	 * with equal calls, apart from the ids of calls */
	uint64_t with_calls, calls_equal;
	/* with_reasoning: pairs in which at least one side has reasoning; reasoning_equal: those of
	 * them with the same reasoning, byte for byte */
	uint64_t with_reasoning, reasoning_equal;
	/* offset of the first different byte, of pairs whose texts differ */
	struct histogram first_byte;
	struct histogram first_token; /* the first differing position */
	struct lengths bytes, tokens, reasoning_bytes;
	/* `tokens` without the end token of the base's answers; without that of the test's answers.
	 * If only one side counts its end token, group_settle() copies the lengths without this
	 * token to `tokens`. */
	struct lengths less_base_end, less_test_end;
	/* pairs in which both sides state a finish reason, by the two reasons: the first
	 * PAIR_SUMS_FINISHES combinations by name */
	struct finish_count *finishes;
	size_t n_finishes;
	uint64_t finishes_beyond; /* pairs whose reasons are not in `finishes` */
};

/* Adds a row with has_choices set. facts: of the row's comparison. */
void pair_sums_add(struct pair_sums *t, const struct pair_row *row, const struct pair_facts *facts);
/* The sums of a figure: its part and its whole, both over all pairs. */
static inline struct ratio pair_sums_total(const struct pair_sums *t, enum figure f)
{
	return clusters_total(t->clusters, f);
}
void pair_sums_finish(struct pair_sums *t);
