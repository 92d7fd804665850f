#pragma once
/*
 * position - both sides at one comparable position, token by token. Pure.
 *
 * The lists of both sides are joined into one list of tokens, each with a logprob per side, NaN if
 * that side does not list it. Tokens are identified by their bytes, and by ids if both sides have
 * them. A token whose bytes were lost is left out: its mass counts as unlisted.
 */
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/compare/tokens/bounds.h"
#include "analyzer/compare/tokens/listing.h"

/* the most tokens that are read of each side's list: the most probable ones */
#define POSITION_LIST_LIMIT 20
#define POSITION_LIMIT (2 * (POSITION_LIST_LIMIT + 1))
#define POSITION_NONE SIZE_MAX
#define POSITION_NO_ROW UINT32_MAX

struct position {
	size_t n;                                              /* tokens in the joined list */
	double base[POSITION_LIMIT], test[POSITION_LIMIT];     /* logprobs */
	double base_p[POSITION_LIMIT], test_p[POSITION_LIMIT]; /* probabilities */
	/* Rows of the tokens in the listings; POSITION_NO_ROW: the side does not list the token. */
	uint32_t base_row[POSITION_LIMIT], test_row[POSITION_LIMIT];
	size_t n_base, n_test; /* alternatives in each side's list, without its chosen token */
	/* Indexes of each side's most probable token in the joined list. POSITION_NONE: there is
	 * none, or the token can't be identified. */
	size_t best_base, best_test;
	size_t chosen_test; /* index of the token that the test chose */
};

/* For two tokens with the same bytes before them. */
void position_read(const struct listing *base, const struct listing *test, struct position *ret);

/* True if a side lists no alternatives; the functions below must then not be called. */
static inline bool position_is_bare(const struct position *p)
{
	return p->n_base == 0 || p->n_test == 0;
}

/* Bounds for the distance of the test (P) from the base (R). */
void position_bounds(const struct position *p, struct bounds *ret);
/* The length of the shorter of the two lists of alternatives. */
static inline size_t position_shorter_length(const struct position *p)
{
	return p->n_base < p->n_test ? p->n_base : p->n_test;
}
/* The number of tokens in the k best of both sides, divided by the number in the k best of
 * either; 1 <= k <= position_shorter_length(). */
double position_jaccard(const struct position *p, size_t k);
/* The number of tokens that are more probable on the base than the test's choice; NaN: the base
 * does not list that choice. */
double position_rank(const struct position *p);
/* The gap in nats between the base's two most probable tokens; NaN: it lists only one. */
double position_gap(const struct position *p);
/*
 * infer-check's figure: both lists scaled to sum to 1, with 1e-10 for a token that a side does not
 * list. It measures the scaling and filling more than the engines; only for comparison with that
 * tool.
 */
double position_kl_renormalised(const struct position *p);
#define POSITION_RENORMALISED_LEAST 1e-10
#define POSITION_RENORMALISED_GUARD 1e-12 /* added to sums */
