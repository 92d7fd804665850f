#pragma once
/*
 * pair_metrics - sums over the pairs of answers of one group and one decoding: texts, lengths,
 * finish reasons, and the tokens at comparable positions. Memory is limited. The order of adding
 * does not change a bit of the result. Each figure has its own n: a pair without the data for a
 * figure is left out of that figure only.
 */
#include "analyzer/compare/comparison.h"
#include "analyzer/stats/stats.h"
#include "base/histogram.h"

#define PAIR_METRICS_FINISHES 16

struct lengths {
	uint64_t n;
	struct exact_sum bias, magnitude; /* sums of test - base, and of its absolute value */
	struct exact_sum base, test;
	struct exact_losses losses;
};

struct finish_count {
	char base[ANSWER_FINISH_SIZE], test[ANSWER_FINISH_SIZE];
	uint64_t n;
};

struct pair_metrics {
	uint64_t pairs; /* pairs that were compared */
	uint64_t equal; /* pairs with equal text, refusal and tool calls, byte for byte */
	uint64_t text_equal;
	/* pairs in which at least one side called tools; of these, those with equal calls,
	 * except for their ids */
	uint64_t with_calls, calls_equal;
	/* pairs in which a side has reasoning; of these, those with the same reasoning, byte for
	 * byte */
	uint64_t with_reasoning, reasoning_equal;
	/* offset of the first different byte, of pairs whose texts differ */
	struct histogram first_byte;
	struct lengths bytes, tokens, reasoning_bytes;
	/* `tokens` without the token that ends the base's answer, and without the one that ends
	 * the test's. If only one side counts its end token, group_settle() copies one of them
	 * to `tokens`. */
	struct lengths less_base_end, less_test_end;
	/* pairs in which both sides state a finish reason; of these, those with reasons of one
	 * kind (finish_same()) */
	uint64_t with_finish, finish_equal;
	/* pairs by the two reasons: the first PAIR_METRICS_FINISHES combinations by name */
	struct finish_count *finishes;
	size_t n_finishes;
	uint64_t finishes_beyond; /* pairs whose reasons are not in `finishes` */

	/* Pairs whose tokens spell their texts on both sides. The following is over these pairs. */
	uint64_t with_tokens;
	uint64_t diverged;            /* pairs whose tokens differ */
	uint64_t at_risk;             /* comparable positions */
	struct histogram first_token; /* the first differing position */
	/* index of the first differing token / number of the base's tokens; 1: none differs */
	struct moments divergence_index;
	/* positions where the most probable token of both sides is known; of these, those where
	 * it is the same */
	uint64_t with_top1, top1_equal;
	/* logprob of the base's most probable token, test - base, nats */
	struct moments top1_logprob;
	uint64_t top1_unlisted; /* positions where that token is not in the test's list */
	/* Jaccard index of the two sets of the five most probable tokens; squares stay 0 */
	struct moments jaccard;
	uint64_t jaccard_short; /* positions where a list has fewer than five */
	/* sums of these members of struct positions */
	uint64_t few, few_base, few_test;
	/* logprob of a token that both sides chose, test - base, nats */
	struct moments chosen_logprob;
	struct moments delta_p; /* probability of this token: test - base */
};

void pair_metrics_add(struct pair_metrics *m, const struct comparison *c);
void pair_metrics_finish(struct pair_metrics *m);
