#pragma once
/*
 * listing - what one side says at one position: the alternatives that it lists and the token it
 * chose. Pure; a view into the columns.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "answers/parting.h"
#include "answers/reading.h"

struct listing {
	const struct columns *columns;
	uint32_t token;
	uint32_t from, to; /* rows of its alternatives; some may be without a logprob */
};

static inline struct listing listing_at(const struct columns *c, uint32_t token)
{
	return (struct listing){c, token, token ? c->top_end[token - 1] : 0, c->top_end[token]};
}

/* A row's token, and its logprob, which is none if it is not finite. */
static inline struct span listing_row(const struct listing *l, uint32_t row)
{
	return columns_top_token(l->columns, row);
}

static inline float listing_lp(const struct listing *l, uint32_t row)
{
	return l->columns->top_lp[row];
}

static inline struct span listing_chosen(const struct listing *l)
{
	return columns_token(l->columns, l->token);
}

/* As it came: may be NaN or infinite. */
static inline float listing_chosen_lp(const struct listing *l)
{
	return l->columns->lp[l->token];
}

static inline uint8_t listing_flags(const struct listing *l)
{
	return l->columns->flags[l->token];
}

/* Has the token a list, and was its logprob not lost? */
static inline bool listing_is_told(const struct columns *c, uint32_t token)
{
	return c->top_end[token] > (token ? c->top_end[token - 1] : 0) &&
	       !(c->flags[token] & TOKEN_MISSING);
}

/* False for a token without bytes, or with U+FFFD in the place of some: it may be any of several. */
bool listing_identifies(struct span token);

/* What the side says of a token: from its list, or as the one that it chose. NaN: nothing. */
float listing_logprob(const struct listing *l, struct span token);

/* False where one side's most probable token stands in the other's list without a logprob: which
 * token that list puts first is then unknown. */
bool listing_tops_are_told(const struct listing *base, const struct listing *test);

/* The comparable positions of a pair, one by one. */
struct listing_walk {
	struct parting_walk at;
	struct listing base, test;
};
void listing_walk_begin(
        struct listing_walk *w, const struct columns *base, const struct columns *test);
bool listing_walk_next(struct listing_walk *w);
