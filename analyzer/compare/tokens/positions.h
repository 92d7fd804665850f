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
#include "analyzer/compare/tokens/first_difference_kind.h"
#include "analyzer/stats/log_histogram.h"
#include "answers/first_difference.h"

#define JACCARD_TOP 5 /* k of POSITION_JACCARD_5 */

enum position_figure {
	POSITION_SAME_TOP,
	POSITION_TOP1_SQUARE, /* square of POSITION_TOP1_DELTA */
	/* logprob of a token that both sides chose: test's minus base's, nats */
	POSITION_DELTA_LP,
	POSITION_DELTA_LP_SQUARE,
	POSITION_DELTA_P_SQUARE, /* square of POSITION_DELTA_P */
	POSITION_JACCARD_5,
	POSITION_JACCARD_K, /* k: position_shorter_length() */
	POSITION_RANK,
	POSITION_K3,
	POSITION_KL_LOW,
	POSITION_TV_LOW,
	POSITION_TV_HIGH,
	POSITION_JS_LOW,
	POSITION_JS_HIGH,
	POSITION_MISSING_MASS, /* mean of p_hidden and r_hidden (bounds.h) */
	POSITION_KL_RENORMALISED,
	/* logprob of the base's most probable token: test's minus base's, nats */
	POSITION_TOP1_DELTA,
	POSITION_DELTA_P,
	N_POSITION_FIGURES,
};

struct position_sum {
	double sum; /* rounded to float, the precision of engines' logprobs */
	uint64_t n; /* positions that have a value */
};

struct positions {
	/* both sides have tokens that spell their texts; if not, all other members are 0 */
	bool has_tokens;
	bool differ; /* the tokens or the texts differ */
	bool has_first_token;
	/* comparable: number of comparable positions. first_token: index of the first differing
	 * token, if has_first_token. */
	uint32_t comparable, first_token;
	/* Index of the first differing token, divided by the number of the base's tokens, 0 to 1.
	 * 1: nothing differs. If only the texts differ, the number of tokens of the shorter answer
	 * counts as the index. */
	double divergence_index;

	struct position_sum figures[N_POSITION_FIGURES];
	/* Positions where the test's list lacks the base's most probable token. */
	uint64_t top1_unlisted;
	/* Positions where the base's list lacks the token that the test chose. */
	uint64_t rank_unlisted;
	/* Positions where both sides have usable alternatives, but at least one side has fewer
	 * than five. */
	uint64_t top5_short;
	/* Positions where both engines sent a list, and a list has fewer than five entries
	 * (usable or not). few: at least one of the lists. few_base: the base's list. */
	uint64_t few, few_base, few_test;
	/* Positions where POSITION_MISSING_MASS is above 0.2. */
	uint64_t missing_much;
	/* of POSITION_DELTA_LP, POSITION_DELTA_P and POSITION_KL_LOW */
	struct signed_histogram delta_lp, delta_p;
	struct log_histogram kl_low;

	/* Set for greedy answers only: */
	/* |first_noise()| of the positions before the first difference */
	struct log_histogram noise;
	/* position_gap() of these positions and of the first difference */
	struct log_histogram gaps;
	bool has_first; /* `first` is set: two tokens that begin at the same byte differ */
	struct first first;
};

/* difference: what first_difference_find() found for base and test. greedy: both are greedy.
 * signs: the caller called cause_signs_begin(); this function calls cause_signs_position(). */
void positions_compare(const struct choice *base, const struct choice *test,
        const struct first_difference *difference, bool greedy, struct cause_signs_reader *signs,
        struct positions *ret);
