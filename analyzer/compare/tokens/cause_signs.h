#pragma once
/*
 * cause_signs - signs of the causes of a difference, in the tokens of one pair of answers; struct
 * comparison has those in the texts (`cut`, `stop`). Pure; needs no freeing. The caller walks
 * through the comparable positions and calls:
 *
 *	cause_signs_begin(&reader, greedy, request, &signs);
 *	cause_signs_position(&reader, &at, &position, &bounds);	for each position
 *	cause_signs_choices(&reader, base, test);	at the end
 *
 * A token is *seen* if it is one of the RECENT_TOKENS_WINDOW tokens before the position. A choice
 * *contradicts its list* if another token of the list is more probable.
 */
#include "analyzer/compare/tokens/recent_tokens.h"
#include "analyzer/compare/tokens/position.h"
#include "analyzer/stats/side.h"

#define CAUSE_SIGNS_NOISE_MOST 1.0 /* nats; the most that one position adds to `noise` */

/* Signs of one side, over its whole answer: its chosen tokens compared with its own lists.
 *
 *	lists, over_one             all answers
 *	tokens, unlisted, shifted   greedy answers
 *	all others                  greedy answers without tool calls in which at least one choice
 *	                            contradicts its list
 *
 * In other answers these members are 0. Of a list only the first 20 tokens are read. */
struct cause_choices {
	uint64_t tokens;   /* tokens with a list */
	uint64_t unlisted; /* tokens whose own list lacks them */
	/* unlisted tokens that the list of the next position has */
	uint64_t shifted;
	uint64_t not_top; /* tokens that are not the most probable of their list */
	/* not_top tokens where the most probable one is seen */
	uint64_t repeats;
	/* Over the tokens counted in `repeats`: the largest value of the logprob of the most
	 * probable token minus that of the chosen one, nats. A penalty that explains the choices is
	 * at least this large. */
	double passed;
	/* not_top tokens where the most probable one is not seen and does not occur in the
	 * request */
	uint64_t strange;
	/* best: tokens with a list; unlike `tokens`, not in all greedy answers (see the table
	 * above). best_seen: those where the most probable token of the list is seen. */
	uint64_t best, best_seen;
	/* lists: number of lists that were summed: the first four, or all if there are fewer.
	 * over_one: those of them whose probabilities sum to more than 1.01. */
	uint64_t lists, over_one;
};

struct cause_signs {
	struct cause_choices choices[N_SIDES];
	/* The contrast of a position: the mean of (test's logprob - base's) over seen tokens,
	 * minus that mean over the other tokens; below 0: the test makes seen tokens less
	 * probable. Only tokens in both lists count, and only positions that have both kinds and
	 * where any logprob moved. */
	double contrast; /* sum over contrast_n positions, nats */
	uint64_t contrast_n;
	/* Among the tokens in both lists, take the two with the highest sums of both sides'
	 * logprobs. The common gap of a side is the difference of its logprobs of these two. (Not
	 * position_gap(), and not the gaps of struct first.) Sums over `gaps` positions: the test's
	 * gap squared, the base's gap squared, and the product of both. */
	double gap_test_squares, gap_base_squares, gap_products;
	uint64_t gaps;
	/* Sum over noise_n positions of |test's common gap - base's|, nats; each position adds at
	 * most CAUSE_SIGNS_NOISE_MOST. */
	double noise;
	uint64_t noise_n;
	/* has_first: both answers are greedy and have a first differing token. The members below
	 * describe this token; they are false without it. */
	bool has_first;
	bool against[N_SIDES];  /* this side's choice contradicts its own list */
	bool occurred[N_SIDES]; /* this side's choice is seen, or occurs in the request */
	/* foreign: the lists have little in common: tv_low (bounds.h) is at least 0.5, and
	 * position_jaccard() with k = position_shorter_length() >= 2 is at most 0.25. opening: the
	 * first differing token is the first token of the answer. */
	bool foreign, opening;
};

struct cause_signs_reader { /* zero-initialise it before the first use; reused from pair to pair */
	struct cause_signs *signs;
	bool greedy;
	struct span request;
	struct recent_tokens seen;
};

/* greedy: both answers are greedy. request: the request's body, or empty. *ret and the body must
 * live until cause_signs_choices() returns. */
void cause_signs_begin(
        struct cause_signs_reader *r, bool greedy, struct span request, struct cause_signs *ret);
/* p: what position_read() made of the position `at`. b: position_bounds() of p; NULL: p is bare
 * (position_is_bare()). */
void cause_signs_position(struct cause_signs_reader *r, const struct listing_walk *at,
        const struct position *p, const struct bounds *b);
/* Sets signs->choices. Call it after the last position. */
void cause_signs_choices(
        struct cause_signs_reader *r, const struct choice *base, const struct choice *test);
