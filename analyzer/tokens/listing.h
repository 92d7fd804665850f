#pragma once
/*
 * listing - what one side says at one position: the alternatives that it lists and the token it chose.
 * Pure; a view into the columns.
 *
 * Tokens are held against each other by their bytes, millions of times a second. So each has a key, made
 * once for all that look: up to seven bytes and their number, which is all there is to most tokens, or the
 * beginning of a longer one.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "reading/parting.h"
#include "reading/reading.h"

#define LISTING_LONG (UINT64_C(1) << 63) /* of a key: of more bytes, which must be compared too */
#define LISTING_VAGUE                                                                              \
	(UINT64_C(1) << 62) /* it has no bytes, or some of them were lost on the way */

#define LISTING_PLAIN 5 /* tokens, as most engines are asked for */

/* Nats: of a logprob that is as far from 0 the exponential might vanish. */
#define LISTING_FAINT 600.0F

/* Columns whose positions are listed. */
struct listings {
	const struct columns *columns;
	uint64_t *keys, *top_keys; /* of tokens, and of rows of alternatives; one piece of memory */
	bool has_ids;              /* any token has one */
	bool late; /* keys are made by listings_at(), of its token: few are looked at */
};

void listings_begin(struct listings *l, const struct columns *c);
void listings_begin_first(
        struct listings *l, const struct columns *c, uint32_t tokens); /* of these alone */
/* Private: makes the keys of a token and of its alternatives; the second of one whose own key is known. */
void listings_make(const struct listings *l, uint32_t token);
void listings_make_known(const struct listings *l, uint32_t token, uint64_t key);
void listings_end(struct listings *l);

struct listed {
	uint64_t key;
	struct span bytes;
};

struct listing {
	const struct listings *of;
	uint32_t token;
	uint32_t from, to; /* rows of its alternatives; some may be without a logprob */
};

static inline struct listing listings_at(const struct listings *l, uint32_t token)
{
	const uint32_t *ends = l->columns->top_end;
	if (l->late) {
		listings_make(l, token);
	}
	return (struct listing){l, token, token ? ends[token - 1] : 0, ends[token]};
}

/* Of a row; a logprob that is not finite is none. */
static inline struct listed listing_row(const struct listing *l, uint32_t row)
{
	return (struct listed){l->of->top_keys[row], columns_top_token(l->of->columns, row)};
}

static inline float listing_lp(const struct listing *l, uint32_t row)
{
	return l->of->columns->top_lp[row];
}

static inline struct listed listing_chosen(const struct listing *l)
{
	return (struct listed){l->of->keys[l->token], columns_token(l->of->columns, l->token)};
}

/* As it came: may be NaN or infinite. */
static inline float listing_chosen_lp(const struct listing *l)
{
	return l->of->columns->lp[l->token];
}

static inline uint8_t listing_flags(const struct listing *l)
{
	return l->of->columns->flags[l->token];
}

/* Has the token a list, and was it not lost? */
static inline bool listing_is_told(const struct columns *c, uint32_t token)
{
	return c->top_end[token] > (token ? c->top_end[token - 1] : 0) &&
	       !(c->flags[token] & TOKEN_MISSING);
}
/* The flags of all such tokens together: what none of them has need not be looked for. ret: their number. */
uint8_t listing_flags_told(const struct columns *c, uint32_t *ret_told);

/* Keys of n tokens that stand one behind the other; to be freed. */
uint64_t *listing_keys(const char *bytes, const uint32_t *ends, uint32_t n);
/* The key of one row alone, which may lack LISTING_VAGUE. */
uint64_t listing_row_key(const struct columns *c, uint32_t row);

/* Of the logprobs of a plain list, as engines write them. */
static inline bool listing_begins_with_best(const float *lps)
{
	_Static_assert(LISTING_PLAIN == 5, "each is named");
	return lps[0] >= lps[1] && lps[0] >= lps[2] && lps[0] >= lps[3] && lps[0] >= lps[4];
}

/* token: below c->n; keys: of all tokens. How many from that token on chose the first alternative of a plain list, which is
 * its best, and are not flagged to have chosen another? Those alone count that identify, whose keys are all there is to
 * them, and that can be read at once. */
uint32_t listing_chose_best(const struct columns *c, const uint64_t *keys, uint32_t token);

/* Of a token that stands in no list. */
struct listed listed_of(struct span bytes);

/* Of tokens with one key of LISTING_LONG: both have eight bytes at least, and the key tells seven. */
static inline bool listed_long_is(struct span a, struct span b)
{
	size_t last = sizeof(uint64_t);
	return a.len == b.len &&
	       memcmp(a.data + a.len - last, b.data + b.len - last, sizeof(uint64_t)) == 0 &&
	       (a.len < 2 * last || memcmp(a.data, b.data, a.len) == 0);
}

static inline bool listed_is(struct listed a, struct listed b)
{
	return a.key == b.key && (!(a.key & LISTING_LONG) || listed_long_is(a.bytes, b.bytes));
}

/* A token without bytes, or one whose bytes were lost on the way, may be any of several. */
static inline bool listed_identifies(struct listed token)
{
	return !(token.key & LISTING_VAGUE);
}

/* What the side says of a token: from its list, or as the one that it chose. NaN: nothing. */
float listing_logprob(const struct listing *l, struct listed token);
/* False where one side's most probable token stands in the other's list without a logprob (NaN, null): nobody knows
 * then which is that list's first. */
bool listing_tops_are_told(const struct listing *base, const struct listing *test);

/* The comparable positions of a pair, one by one. It stays where it is until its end. */
struct listing_walk {
	struct parting_walk at;
	struct listing base, test;
	/* internal */
	struct listings base_listings, test_listings;
	struct arena *keys, own;
};
void listing_walk_begin(
        struct listing_walk *w, const struct columns *base, const struct columns *test);
/* keys: where those of both sides lie until the end; cleared before and after. */
void listing_walk_begin_in(struct listing_walk *w, const struct columns *base,
        const struct columns *test, struct arena *keys);
void listing_walk_end(struct listing_walk *w);

/* Puts the walk at tokens that are equal, where the next ones come in one step on both sides. */
static inline void listing_walk_stand(struct listing_walk *w, uint32_t a, uint32_t b)
{
	w->at.a = a;
	w->at.b = b;
	w->at.equal = true;
	w->base = listings_at(&w->base_listings, a);
	w->test = listings_at(&w->test_listings, b);
}

static inline bool listing_walk_next(struct listing_walk *w)
{
	if (!parting_walk_next(w->base_listings.columns, w->test_listings.columns, &w->at)) {
		return false;
	}
	w->base = listings_at(&w->base_listings, w->at.a);
	w->test = listings_at(&w->test_listings, w->at.b);
	return true;
}
