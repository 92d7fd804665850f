#pragma once
/*
 * cause_signs - what the tokens of one pair of answers say of a cause. Pure; nothing to be freed. It looks
 * on while another walks through the comparable positions, one after another:
 *
 *	cause_signs_begin(&reader, greedy, request, &signs);
 *	cause_signs_position(&reader, &at, &position, &bounds);	of each
 *	cause_signs_choices(&reader, base, test);	whatever the walk told
 */
#include "analyzer/compare/tokens/cause_memory.h"
#include "analyzer/compare/tokens/position.h"

#define CAUSE_SIGNS_NOISE_MOST 1.0 /* nats that one position counts at most */

/* Of one side's tokens: its choices against its own lists, whole answers. */
struct cause_choices {
	uint64_t tokens;   /* with a list */
	uint64_t unlisted; /* the chosen token is not in its own list */
	uint64_t shifted;  /* of these: it is in the list of the token after */
	/* Of answers that chose against their list at all: */
	uint64_t not_top; /* the chosen token is not the best of its list */
	uint64_t repeats; /* of these: the token passed over had been in the answer before */
	/* How far above the chosen token the farthest of these stood, nats: no penalty that explains it takes less. */
	double passed;
	uint64_t strange;         /* of these: it had been neither there nor in the request */
	uint64_t best, best_seen; /* tokens; and those whose best had been there before */
	uint64_t lists, over_one; /* looked at; and those that sum to more than 1 */
};

struct cause_signs {
	struct cause_choices base, test;
	/* Tokens that had been in the answer against those that had not: how much less probable the
	 * test holds them than the base does, within each position that lists both kinds and where
	 * anything moved. */
	double contrast;
	uint64_t contrast_n;
	/* The gap between the two tokens that both together hold most probable: sums of squares and of
	 * products. */
	double gap_test, gap_base, gap_both;
	uint64_t gaps;
	double noise; /* sum of how far that gap moved, each at most 1 nat */
	uint64_t noise_n;
	/* Greedy answers, where they part at a token: */
	bool has_first;
	bool base_against, test_against; /* that side chose against its own list there */
	bool base_repeats,
	        test_repeats; /* its choice had been in the answer, or is in the request */
	/* The two lists have hardly anything in common; it is the first token of the answer. */
	bool foreign, opening;
};

struct cause_signs_reader { /* zero-initialised; lives on from pair to pair */
	struct cause_signs *signs;
	bool greedy;
	struct span request;
	struct cause_memory seen;
};

/* greedy: on both sides; request: the body, or empty. */
void cause_signs_begin(
        struct cause_signs_reader *r, bool greedy, struct span request, struct cause_signs *ret);
/* b: of p; NULL: it is bare. */
void cause_signs_position(struct cause_signs_reader *r, const struct listing_walk *at,
        const struct position *p, const struct bounds *b);
void cause_signs_choices(
        struct cause_signs_reader *r, const struct choice *base, const struct choice *test);
