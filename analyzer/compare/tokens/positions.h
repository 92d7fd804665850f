#pragma once
/*
 * positions - compares two answers token by token: the sums of each figure over the comparable
 * positions, and the first difference. Pure; needs no freeing.
 *
 * A position is comparable if both sides have the same bytes before it
 * (answers/first_difference.h); the first difference is the last comparable position.
 * docs/metrics.md defines the figures under the names of enum position_figure.
 */
#include "analyzer/compare/tokens/cause_signs.h"
#include "analyzer/compare/tokens/first.h"
#include "analyzer/stats/log_histogram.h"
#include "answers/first_difference.h"

#define JACCARD_TOP 5 /* of top-5 Jaccard (position_jaccard()); shorter lists are counted */

enum position_figure {
	POSITION_SAME_TOP,
	POSITION_TOP1_SQUARE, /* as POSITION_TOP1_DELTA, squared */
	POSITION_DELTA_LP,    /* for a token that both chose: test - base, nats */
	POSITION_DELTA_LP_SQUARE,
	POSITION_DELTA_P_SQUARE, /* the same for its probabilities */
	POSITION_JACCARD_5,
	POSITION_JACCARD_K, /* k: position_shorter_length() */
	POSITION_RANK,
	POSITION_K3,
	POSITION_KL_LOW,
	POSITION_TV_LOW,
	POSITION_TV_HIGH,
	POSITION_JS_LOW,
	POSITION_JS_HIGH,
	POSITION_HIDDEN,
	POSITION_KL_RENORMALISED,
	POSITION_TOP1_DELTA, /* for the base's most probable token: test - base, nats */
	POSITION_DELTA_P,
	N_POSITION_FIGURES,
};

struct position_sum {
	double sum; /* rounded to a float, the precision of engines' logprobs */
	uint64_t n; /* positions that have a value */
};

struct positions {
	bool has_tokens; /* both sides have tokens that spell their texts; else the rest is empty */
	bool differ;     /* the tokens differ, or the texts */
	bool has_first_token;
	/* first_token: the first differing token, if has_first_token */
	uint32_t comparable, first_token;
	double divergence_index; /* first differing token / length of the base; 1: none differs */

	struct position_sum figures[N_POSITION_FIGURES];
	/* Positions where the test's list lacks the base's most probable token. */
	uint64_t top1_unlisted;
	/* Positions where the base's list lacks the token that the test chose. */
	uint64_t rank_unlisted;
	/* Positions where both sides have usable alternatives, but one side has fewer than five. */
	uint64_t top5_short;
	/* Positions where both engines sent a list, but one of the lists has fewer than five
	 * entries, whether they are usable or not; and positions where the base's list has, and the
	 * test's. */
	uint64_t few, few_base, few_test;
	/* Positions where, on the mean of both sides, more than 0.2 of a side's probability is
	 * outside the other side's list. */
	uint64_t hidden_much;
	struct signed_histogram delta_lp, delta_p;
	struct log_histogram kl_low;

	/* For greedy answers: */
	struct log_histogram noise; /* positions before the first difference: |first_noise()| */
	struct log_histogram gaps;  /* up to it: gap between the base's two most probable tokens */
	bool has_first;             /* tokens that begin at the same byte differ */
	struct first first;
};

/* difference: of base and test. signs: begun by the caller; it receives each position. */
void positions_compare(const struct choice *base, const struct choice *test,
        const struct first_difference *difference, bool greedy, struct cause_signs_reader *signs,
        struct positions *ret);
