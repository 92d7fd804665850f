#pragma once
/*
 * metrics - what is counted over pairs of answers: texts, lengths, finish reasons, and the tokens
 * at comparable positions. Memory does not grow. Adding in any order gives the same bits.
 *
 * base is what is held to be right, test what is on trial. Every figure has its own n: what a pair
 * lacks leaves it out of that figure only.
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
	uint64_t equal; /* text, refusal and tool calls byte for byte */
	uint64_t text_equal;
	uint64_t with_calls,
	        calls_equal; /* either side called tools; calls equal, their ids apart */
	uint64_t with_reasoning, reasoning_equal;
	struct histogram first_byte; /* of the answers' texts that differ */
	struct lengths bytes, tokens, reasoning_bytes;
	/* Tokens without the one that ends an answer, of the base and of the test. */
	struct lengths less_base_end, less_test_end;
	uint64_t with_finish, finish_equal;
	struct finish_count *finishes; /* the first METRICS_FINISHES kinds by name */
	size_t n_finishes;
	uint64_t finishes_beyond; /* of the other kinds */

	/* Pairs whose token columns spell their texts on both sides. */
	uint64_t with_tokens;
	uint64_t diverged;                /* of these: that part anywhere */
	uint64_t at_risk;                 /* comparable positions */
	struct histogram first_token;     /* of those where tokens part */
	struct moments divergence_index;  /* first differing token / length of the base; 1: none */
	uint64_t with_top1, top1_equal;   /* positions: the same most probable token */
	struct moments top1_logprob;      /* test - base, of the base's most probable token */
	uint64_t top1_unlisted;           /* positions where the test's list does not have it */
	struct moments jaccard;           /* of the five most probable */
	uint64_t jaccard_short;           /* positions where a list tells fewer than five */
	uint64_t few, few_base, few_test; /* of these: that came with fewer than five, and whose */
	struct moments chosen_logprob;    /* test - base, of a token that both chose */
	struct moments delta_p;           /* the same of its probability */
};

void metrics_add(struct metrics *m, const struct comparison *c);
void metrics_finish(struct metrics *m);
