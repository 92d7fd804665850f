#pragma once
/*
 * position - both sides at one comparable position, token by token. Pure.
 *
 * The lists of both sides, and their chosen tokens, are joined into one list of tokens. Each token
 * has a logprob per side, NaN if that side does not state it. Tokens are the same if their bytes
 * are equal, and their ids too if both sides state ids. A token whose bytes were lost is left out:
 * its mass counts as unlisted.
 */
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/compare/tokens/bounds.h"
#include "analyzer/compare/tokens/listing.h"

/* the most tokens that are read from each side's list: the most probable ones */
#define POSITION_LIST_LIMIT 20
#define POSITION_LIMIT (2 * (POSITION_LIST_LIMIT + 1))
#define POSITION_NONE SIZE_MAX
#define POSITION_NO_ROW UINT32_MAX

struct position {
	size_t n;                                              /* tokens in the joined list */
	double base[POSITION_LIMIT], test[POSITION_LIMIT];     /* logprobs; NaN: not stated */
	double base_p[POSITION_LIMIT], test_p[POSITION_LIMIT]; /* probabilities; NaN: not stated */
	/* Row (listing.h) of each token in its side's list; POSITION_NO_ROW: the list lacks the
	 * token. */
	uint32_t base_row[POSITION_LIMIT], test_row[POSITION_LIMIT];
	/* tokens read from each side's list; a chosen token outside of its list does not count */
	size_t n_base, n_test;
	/* Indexes of each side's most probable token in the joined list. POSITION_NONE: there is
	 * none, or the token can't be identified. */
	size_t best_base, best_test;
	size_t chosen_test; /* index of the token that the test chose, or POSITION_NONE */
};

/* base and test: the listings at two tokens that have the same bytes before them. */
void position_read(const struct listing *base, const struct listing *test, struct position *ret);

/* True if a side lists no alternatives. Then do not call position_bounds(), position_jaccard()
 * and position_kl_renormalised(). */
static inline bool position_is_bare(const struct position *p)
{
	return p->n_base == 0 || p->n_test == 0;
}

/* The bounds of bounds.h, with the test as P and the base as R. rounding: of listing_rounding(). */
void position_bounds(const struct position *p, double rounding, struct bounds *ret);
/* The smaller of n_base and n_test. */
static inline size_t position_shorter_length(const struct position *p)
{
	return p->n_base < p->n_test ? p->n_base : p->n_test;
}
/* The Jaccard index of the sides' k most probable tokens: the number of tokens that both sides
 * have among these, divided by the number that at least one side has. 1 <= k <=
 * position_shorter_length(). */
double position_jaccard(const struct position *p, size_t k);
/* The number of tokens that are more probable on the base than the test's choice; 0: that choice
 * is the base's most probable token. NaN: the base does not state its probability. */
double position_rank(const struct position *p);
/* The difference between the logprobs of the base's two most probable tokens, nats. NaN: the base
 * states fewer than two, or the most probable one can't be identified. */
double position_gap(const struct position *p);
/*
 * The Kullback-Leibler divergence of the base from the test as infer-check 0.2.6 computes it
 * (runner.py), nats: the sum of b ln(b / t) over the joined list. The direction is the reverse of
 * position_bounds(). b and t are the probabilities of base and test, divided by (the side's sum
 * plus POSITION_RENORMALISED_GUARD) and limited to the range from POSITION_RENORMALISED_LEAST to 1.
 * A token that a side does not list has POSITION_RENORMALISED_LEAST. Only for comparison with that
 * tool: the value depends more on this scaling and filling than on the engines.
 */
double position_kl_renormalised(const struct position *p);
#define POSITION_RENORMALISED_LEAST 1e-10
#define POSITION_RENORMALISED_GUARD 1e-12
