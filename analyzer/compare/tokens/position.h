#pragma once
/*
 * position - one comparable position: what both sides say of it, token by token. Pure.
 *
 * The lists of both sides become one list of tokens, each with a logprob a side, NaN where that side
 * does not tell it. Tokens are known by their bytes, and where both sides give ids by these too;
 * one whose bytes were lost identifies nothing and is left out: its mass is unlisted then.
 */
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/compare/tokens/bounds.h"
#include "analyzer/compare/tokens/listing.h"

#define POSITION_LIST_LIMIT 20 /* of each side's list, the most probable */
#define POSITION_LIMIT (2 * (POSITION_LIST_LIMIT + 1))
#define POSITION_NONE SIZE_MAX
#define POSITION_NO_ROW UINT32_MAX

struct position {
	size_t n;
	double base[POSITION_LIMIT], test[POSITION_LIMIT];     /* logprobs */
	double base_p[POSITION_LIMIT], test_p[POSITION_LIMIT]; /* probabilities */
	/* Rows of the listings; POSITION_NO_ROW: the side does not list it as an alternative. */
	uint32_t base_row[POSITION_LIMIT], test_row[POSITION_LIMIT];
	size_t n_base, n_test; /* alternatives that each side lists, its chosen one aside */
	/* Tokens of the list, or POSITION_NONE: also where a token that identifies nothing is the best. */
	size_t best_base, best_test;
	size_t chosen_test;
};

/* Of two tokens before which both sides had the same bytes. */
void position_read(const struct listing *base, const struct listing *test, struct position *ret);

/* Neither side lists anything: the functions below must not be called. */
static inline bool position_is_bare(const struct position *p)
{
	return p->n_base == 0 || p->n_test == 0;
}

/* Of the test (P) from the base (R). */
void position_bounds(const struct position *p, struct bounds *ret);
/* As many alternatives as both sides list. */
static inline size_t position_k(const struct position *p)
{
	return p->n_base < p->n_test ? p->n_base : p->n_test;
}
/* Tokens in both sides' k best, over tokens in either; k: at least 1, at most position_k(). */
double position_jaccard(const struct position *p, size_t k);
/* How many tokens the base holds more probable than the one that the test chose; NaN: it does not
 * list that one. */
double position_rank(const struct position *p);
/* The gap between the base's two most probable tokens; NaN: it lists only one. */
double position_gap(const struct position *p);
/*
 * infer-check's figure: both lists scaled to sum to 1, and what a side does not list taken as 1e-10.
 * It measures that scaling and filling more than it does the engines; here for comparison only.
 */
double position_kl_renormalised(const struct position *p);
#define POSITION_RENORMALISED_LEAST 1e-10
#define POSITION_RENORMALISED_GUARD 1e-12 /* added to sums */
