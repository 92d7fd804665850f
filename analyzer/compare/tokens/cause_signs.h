#pragma once
/*
 * cause_signs - signs of causes in the tokens of one pair of answers. Pure; needs no freeing. The
 * caller walks through the comparable positions and calls:
 *
 *	cause_signs_begin(&reader, greedy, request, &signs);
 *	cause_signs_position(&reader, &at, &position, &bounds);	for each position
 *	cause_signs_choices(&reader, base, test);	at the end
 */
#include "analyzer/compare/tokens/cause_memory.h"
#include "analyzer/compare/tokens/position.h"

#define CAUSE_SIGNS_NOISE_MOST 1.0 /* nats; the most that one position adds to `noise` */

/* Signs of one side, over its whole answer: its chosen tokens compared with its own lists. */
struct cause_choices {
	uint64_t tokens;   /* tokens with a list */
	uint64_t unlisted; /* chosen tokens that are not in their own list */
	/* unlisted tokens that are in the list of the next position */
	uint64_t shifted;
	/* Set only for answers with a choice that contradicts its list: */
	uint64_t not_top; /* tokens that are not the best of their list */
	/* not_top tokens where the best of the list already stood in the answer */
	uint64_t repeats;
	/* The largest logprob of a best token in `repeats` minus that of the chosen one, nats: a
	 * penalty that explains the choice is at least this large. */
	double passed;
	/* not_top tokens where the best of the list stood neither in the answer nor in the
	 * request */
	uint64_t strange;
	/* tokens of such answers; those where the best of the list already stood in the answer */
	uint64_t best, best_seen;
	uint64_t lists, over_one; /* checked lists; lists whose probabilities sum to more than 1 */
};

struct cause_signs {
	struct cause_choices base, test;
	/* How much less probable the test makes tokens that already stood in the answer,
	 * compared with tokens that did not. Counted at positions that list both kinds and where
	 * any probability moved. */
	double contrast; /* sum over contrast_n positions, nats */
	uint64_t contrast_n;
	/* The gap is the difference of the logprobs of the two tokens with the highest joint
	 * probability. Sums over `gaps` positions: the test's gap squared, the base's gap
	 * squared, and the product of both. */
	double gap_test, gap_base, gap_both;
	uint64_t gaps;
	/* Sum over noise_n positions of how far the gap moved between the sides, nats; each
	 * position counts at most CAUSE_SIGNS_NOISE_MOST. */
	double noise;
	uint64_t noise_n;
	/* Set for greedy answers, at their first differing token: */
	bool has_first;
	bool base_against, test_against; /* this side's choice contradicts its own list */
	/* this side's choice already stood in the answer or in the request */
	bool base_repeats, test_repeats;
	/* foreign: the two lists have little in common. opening: the first differing token is the
	 * first token of the answer. */
	bool foreign, opening;
};

struct cause_signs_reader { /* zero-initialise it before the first use; reused from pair to pair */
	struct cause_signs *signs;
	bool greedy;
	struct span request;
	struct cause_memory seen;
};

/* greedy: both answers are greedy. request: the request's body, or empty. *ret and the body must
 * live until cause_signs_choices(). */
void cause_signs_begin(
        struct cause_signs_reader *r, bool greedy, struct span request, struct cause_signs *ret);
/* b: the bounds of p; NULL: p is bare (position_is_bare()). */
void cause_signs_position(struct cause_signs_reader *r, const struct listing_walk *at,
        const struct position *p, const struct bounds *b);
void cause_signs_choices(
        struct cause_signs_reader *r, const struct choice *base, const struct choice *test);
