#pragma once
/*
 * listing - one side at one position: its list of alternatives and its chosen token. A row is the
 * index of an alternative in the columns (answers/reading.h). A listing, and each span from it,
 * points into the columns and is valid as long as they are. Pure.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "answers/first_difference.h"
#include "answers/reading.h"

struct listing {
	const struct columns *columns;
	uint32_t token;
	/* rows of its alternatives, `to` excluded; some may have no usable logprob */
	uint32_t from, to;
};

static inline struct listing listing_at(const struct columns *c, uint32_t token)
{
	return (struct listing){c, token, token ? c->top_end[token - 1] : 0, c->top_end[token]};
}

/* The bytes of an alternative. */
static inline struct span listing_row(const struct listing *l, uint32_t row)
{
	return columns_top_token(l->columns, row);
}

/* The logprob of an alternative, as received: may be NaN or infinite, which callers must treat
 * as missing. */
static inline float listing_lp(const struct listing *l, uint32_t row)
{
	return l->columns->top_lp[row];
}

static inline struct span listing_chosen(const struct listing *l)
{
	return columns_token(l->columns, l->token);
}

/* As received: may be NaN or infinite. */
static inline float listing_chosen_lp(const struct listing *l)
{
	return l->columns->lp[l->token];
}

/* Of the chosen token: bits of enum token_flag. */
static inline uint8_t listing_flags(const struct listing *l)
{
	return l->columns->flags[l->token];
}

/* True if the token has a list and a usable logprob. */
static inline bool listing_is_usable(const struct columns *c, uint32_t token)
{
	return c->top_end[token] > (token ? c->top_end[token - 1] : 0) &&
	       !(c->flags[token] & TOKEN_MISSING);
}

/* False if the token is empty or contains U+FFFD, the mark of lost bytes: several tokens may
 * then look like this one. */
bool listing_identifies(struct span token);

/* The logprob of the token with these bytes, from the list or as the chosen token. NaN: not
 * known. */
float listing_logprob(const struct listing *l, struct span token);

/* Writes the rows of the most probable alternatives to ret_rows, at most `most`: the most
 * probable first, and of equal ones the first in the list. Alternatives without a finite logprob
 * are left out. Returns the number of rows written. */
size_t listing_best(const struct listing *l, uint32_t *ret_rows, size_t most);

/* The least finite logprob of the list: a token outside of the list is at most as probable. NaN:
 * there is none. */
float listing_least(const struct listing *l);

/* False if one side's most probable token is in the other side's list without a logprob. Then it
 * is unknown which token of that list is the most probable one. */
bool listing_tops_are_known(const struct listing *base, const struct listing *test);

/* By how much a logprob in the lists of the two answers may be wrong because an engine rounded
 * logprobs: 5e-5, if a side has at least ten, and all have at most four decimals; else 0. */
double listing_rounding(const struct columns *base, const struct columns *test);

/* Iterates over the comparable positions of a pair. listing_walk_next() sets base and test to
 * the next position; false: there is none. */
struct listing_walk {
	struct position_walk at; /* answers/first_difference.h */
	struct listing base, test;
	double rounding; /* listing_rounding() */
};
void listing_walk_begin(
        struct listing_walk *w, const struct columns *base, const struct columns *test);
bool listing_walk_next(struct listing_walk *w);
