#pragma once
/*
 * metrics - figures over pairs of answers: texts, lengths, finish reasons, and the tokens at
 * comparable positions. Memory is bounded. The order of adding does not change a bit of the result.
 *
 * base is the side that is assumed to be right; test is the side under test. Each figure has its
 * own n: a pair without the data for a figure is left out of that figure only.
 */
#include "analyzer/compare/comparison.h"
#include "analyzer/stats/stats.h"
#include "base/histogram.h"

#define METRICS_FINISHES 16

struct lengths {
	uint64_t n;
	struct exact_sum bias, magnitude; /* of test - base, and of its absolute value */
	struct exact_sum base, test;
	struct exact_losses losses;
};

struct finish_count {
	char base[ANSWER_FINISH_SIZE], test[ANSWER_FINISH_SIZE];
	uint64_t n;
};

struct metrics {
	uint64_t pairs; /* answers compared */
	uint64_t equal; /* pairs with equal text, refusal and tool calls, byte for byte */
	uint64_t text_equal;
	uint64_t with_calls,
	        /* pairs in which at least one side called tools; of these: the calls are equal,
	         * apart from their ids */
	        calls_equal;
	/* pairs in which a side has reasoning; of these: both have the same, byte for byte */
	uint64_t with_reasoning, reasoning_equal;
	/* index of the first different byte, for pairs whose texts differ */
	struct histogram first_byte;
	struct lengths bytes, tokens, reasoning_bytes;
	/* As `tokens`, but without the token that ends the answer: on the base side only, and on
	 * the test side only. */
	struct lengths less_base_end, less_test_end;
	/* pairs in which both sides state a finish reason; of these: the reasons are equal */
	uint64_t with_finish, finish_equal;
	struct finish_count *finishes; /* the first METRICS_FINISHES kinds, by name */
	size_t n_finishes;
	uint64_t finishes_beyond; /* pairs whose kind is not in `finishes` */

	/* Pairs whose tokens spell their texts on both sides. */
	uint64_t with_tokens;
	uint64_t diverged;               /* of these: pairs whose tokens differ */
	uint64_t at_risk;                /* comparable positions */
	struct histogram first_token;    /* the first differing position */
	struct moments divergence_index; /* first differing token / length of the base; 1: none */
	/* positions; of these: both sides have the same most probable token */
	uint64_t with_top1, top1_equal;
	struct moments top1_logprob; /* test - base, of the base's most probable token */
	uint64_t top1_unlisted;      /* positions where that token is not in the test's list */
	/* Jaccard index of the two sets of the five most probable tokens */
	struct moments jaccard;
	uint64_t jaccard_short; /* positions where a list has fewer than five */
	/* of these: positions where an engine sent fewer than five, and the same for each side */
	uint64_t few, few_base, few_test;
	struct moments chosen_logprob; /* test - base, of a token that both chose */
	struct moments delta_p;        /* the same for its probability */
};

void metrics_add(struct metrics *m, const struct comparison *c);
void metrics_finish(struct metrics *m);
