#pragma once
/*
 * listing - what one side says at one position, read once for all who ask: the alternatives that have
 * a logprob, as they were listed, and the token that was chosen. Pure; it points into the columns.
 *
 * Tokens are held against each other by their bytes, millions of times a second: the first eight lie in
 * a number, which most tokens fit into.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "reading/parting.h"
#include "reading/reading.h"

struct listed {
	uint64_t head; /* the first eight bytes, padded with zeros */
	const char *bytes;
	uint32_t len;
	int32_t id; /* -1: none */
	float lp;
	/* A token without bytes, or one whose bytes were lost on the way, may be any of several. */
	bool identifies;
};

struct listing {
	struct listed chosen; /* its lp as it came: may be NaN or infinite */
	bool missing;         /* what the chosen one's lp says is nothing to use */
	uint32_t n;           /* alternatives with a finite logprob */
	struct listed items[READING_TOP_LIMIT];
};

/* Columns whose positions are to be listed. */
struct listings {
	const struct columns *columns;
	size_t bytes, top_bytes; /* of all of them */
	bool lossy, top_lossy;   /* a replacement character is in them */
};

void listings_begin(struct listings *l, const struct columns *c);
void listings_read(const struct listings *l, uint32_t token, struct listing *ret);
void listing_of(const struct columns *c, uint32_t token, struct listing *ret); /* one alone */

static inline bool listed_is(const struct listed *a, const struct listed *b)
{
	return a->head == b->head && a->len == b->len &&
	       (a->len <= 8 || memcmp(a->bytes + 8, b->bytes + 8, a->len - 8) == 0);
}

/* What the side says of a token: from its list, or as the one that it chose. NaN: nothing. */
float listing_logprob(const struct listing *l, const struct listed *token);

/* The comparable positions of a pair, one by one, with both sides' listings. */
struct listing_walk {
	struct parting_walk at;
	struct listing base, test;
	struct listings base_listings, test_listings; /* internal */
};
void listing_walk_begin(
        struct listing_walk *w, const struct columns *base, const struct columns *test);
bool listing_walk_next(struct listing_walk *w);
