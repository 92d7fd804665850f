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

#define CAUSE_SIGNS_NOISE_MOST 1.0 /* the most that one position counts, nats */

/* For one side and its whole answers: its chosen tokens compared with its own lists. */
struct cause_choices {
	uint64_t tokens;   /* with a list */
	uint64_t unlisted; /* the chosen token is not in its own list */
	uint64_t shifted;  /* of these: it is in the list of the next token */
	/* Only of answers with a choice that contradicts its list: */
	uint64_t not_top; /* the chosen token is not the best of its list */
	uint64_t repeats; /* of these: the token passed over already stood in the answer */
	/* The largest distance of such a token above the chosen one, nats: a penalty that explains
	 * it is at least this large. */
	double passed;
	uint64_t strange; /* of these: it stood neither in the answer nor in the request */
	/* tokens; of these: the best of the list already stood in the answer */
	uint64_t best, best_seen;
	uint64_t lists, over_one; /* checked lists; those that sum to more than 1 */
};

struct cause_signs {
	struct cause_choices base, test;
	/* Tokens that already stood in the answer, compared with those that did not: how much less
	 * probable they are on the test than on the base, at positions that list both kinds and
	 * where anything moved. */
	double contrast;
	uint64_t contrast_n;
	/* The gap between the two tokens with the highest joint probability: sums of squares and of
	 * products. */
	double gap_test, gap_base, gap_both;
	uint64_t gaps;
	double noise; /* sum of the movements of that gap, each at most 1 nat */
	uint64_t noise_n;
	/* For greedy answers, at their first differing token: */
	bool has_first;
	bool base_against, test_against; /* this side's choice contradicts its own list */
	bool base_repeats,
	        test_repeats; /* its choice already stood in the answer or in the request */
	/* The two lists have little in common; it is the first token of the answer. */
	bool foreign, opening;
};

struct cause_signs_reader { /* zero-initialised is ready; reused from pair to pair */
	struct cause_signs *signs;
	bool greedy;
	struct span request;
	struct cause_memory seen;
};

/* greedy: both sides are; request: the body, or empty. */
void cause_signs_begin(
        struct cause_signs_reader *r, bool greedy, struct span request, struct cause_signs *ret);
/* b: the bounds of p; NULL: p is bare. */
void cause_signs_position(struct cause_signs_reader *r, const struct listing_walk *at,
        const struct position *p, const struct bounds *b);
void cause_signs_choices(
        struct cause_signs_reader *r, const struct choice *base, const struct choice *test);
