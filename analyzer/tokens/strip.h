#pragma once
/*
 * strip - positions that follow one another, at which both sides chose the same tokens and list plain lists
 * (see plain). Pure; a view into the listings.
 *
 * Nearly all positions of a pair stand in strips. What makes a list plain is asked of a whole strip at once,
 * so that no more than the keys of both sides are left to be held against each other.
 */
#include "analyzer/tokens/listing.h"

#define STRIP_MOST 64

struct strip {
	const struct listings *base, *test;
	uint32_t a, b; /* its first tokens */
	uint32_t n;    /* positions; may be none */
	/* The base's lists are plain, as are the test's where they have the same tokens, and no logprob is
	 * LISTING_FAINT. Else nothing is known of these positions but that they are comparable and equal. */
	bool plain;
	uint32_t base_row, test_row; /* first rows of both, if plain */
	uint64_t doubt; /* a key with any of these bits is not all that its token is known by */
};

/* What comes next in a walk, which does not move. */
void strip_find(const struct listing_walk *w, struct strip *ret);
/* Private: of a position whose keys are the same on both sides. */
bool strip_confirms(const struct strip *s, uint32_t i);

static inline const uint64_t *strip_keys(const struct strip *s, uint32_t i)
{
	return s->base->top_keys + s->base_row + (size_t)LISTING_PLAIN * i;
}

/* Of position i of a plain strip: do both sides list the same tokens in the same order, the one that they
 * chose first? */
static inline bool strip_is_alike(const struct strip *s, uint32_t i)
{
	const uint64_t *k = strip_keys(s, i);
	const uint64_t *o = s->test->top_keys + s->test_row + (size_t)LISTING_PLAIN * i;
	uint64_t chosen = s->base->keys[s->a + i];
	_Static_assert(LISTING_PLAIN == 5, "each token is named");
	if ((k[0] ^ o[0]) | (k[1] ^ o[1]) | (k[2] ^ o[2]) | (k[3] ^ o[3]) | (k[4] ^ o[4]) |
	        (k[0] ^ chosen)) {
		return false;
	}
	return !((k[0] | k[1] | k[2] | k[3] | k[4]) & s->doubt) || strip_confirms(s, i);
}
