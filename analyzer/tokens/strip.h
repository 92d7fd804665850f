#pragma once
/*
 * strip - positions that follow one another, at which both sides chose the same tokens and list plain lists
 * (see plain). Pure; a view into the listings.
 *
 * Nearly all positions of a pair stand in strips. What makes a list plain is asked of a whole strip at once, and
 * lists are held against each other as one stretch of bytes, for as long as they are the same: of the test's
 * tokens no key is made.
 */
#include "analyzer/tokens/listing.h"

#define STRIP_MOST 64

struct strip {
	const struct listings *base, *test;
	uint32_t a, b; /* its first tokens */
	uint32_t n;    /* positions; may be none */
	/* The base's lists are plain, as are the test's where they have the same tokens, and no logprob is as far
	 * from 0 as LISTING_FAINT. Else nothing is known of these positions but that they are comparable and
	 * equal. */
	bool plain;
	uint32_t base_row, test_row; /* first rows of both, if plain */
	uint64_t alike;              /* bit i is of position i, if plain: see below */
};

/* What comes next in a walk, which does not move. */
void strip_find(const struct listing_walk *w, struct strip *ret);

/* Of position i of a plain strip: do both sides list the same tokens in the same order, the one that they
 * chose first? */
static inline bool strip_is_alike(const struct strip *s, uint32_t i)
{
	return s->alike >> i & 1;
}

/* How many of them there are from i on, one behind the other. */
static inline uint32_t strip_alike_from(const struct strip *s, uint32_t i)
{
	uint64_t unlike = ~(s->alike >> i);
	return unlike ? (uint32_t)__builtin_ctzll(unlike) : STRIP_MOST;
}
