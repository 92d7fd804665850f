#pragma once
/*
 * first_difference - the first difference of two readings. Pure comparison of two choices, by bytes
 * first, so that different tokenizers can be compared.
 *
 * A position is comparable if both sides have the same bytes before it; the first differing
 * position is the last one. With equal token boundaries these are the tokens up to the first
 * difference.
 */
#include "answers/reading.h"

struct first_difference {
	bool text_equal; /* answer texts equal, byte for byte */
	/* first differing byte; the shorter length if one text begins the other */
	size_t first_byte;
	bool has_tokens;      /* both sides have tokens that spell their text */
	uint32_t comparable;  /* comparable positions */
	bool tokens_differ;   /* the tokens differ, at position first_token */
	uint32_t first_token; /* in a; in b too where the boundaries are equal */
};

void first_difference_find(
        const struct choice *a, const struct choice *b, struct first_difference *ret);

/*
 * Iterates over the comparable positions, as numbers of the tokens on both sides:
 *
 *	struct position_walk w = {0};
 *	while (position_walk_next(&a->columns, &b->columns, &w)) {
 *		columns_token(&a->columns, w.a), columns_token(&b->columns, w.b) ...
 *	}
 *
 * With different token boundaries these are the positions at which a token begins on both sides. A
 * token without bytes on one side only is skipped, since its place in the text is unknown. So are
 * the tokens of a character that takes several of them, if the sides show it in different ways:
 * engines put all its bytes on the first or on the last token, or split them.
 */
struct position_walk {
	uint32_t a, b;
	bool equal;   /* the tokens there have equal bytes */
	bool started; /* internal, like the following: */
	size_t same;  /* length of the common beginning, bytes */
	uint32_t next_a, next_b;
};
/* Private: finds the length of the common beginning. */
void position_walk_begin(const struct columns *a, const struct columns *b, struct position_walk *w);

/* Private: true if these tokens, which begin at the same byte, can be the same step on both
 * sides. */
bool position_walk_fits(const struct columns *a, const struct columns *b, uint32_t i, uint32_t k);

/* How many of the next positions, at most `most`, are equal tokens that both sides take in one
 * step. The walk has begun. */
uint32_t position_walk_together(const struct columns *a, const struct columns *b,
        const struct position_walk *w, uint32_t most);

/* Skips n of these. */
static inline void position_walk_pass(struct position_walk *w, uint32_t n)
{
	w->next_a += n;
	w->next_b += n;
}

static inline bool position_walk_next(
        const struct columns *a, const struct columns *b, struct position_walk *w)
{
	if (!w->started) {
		position_walk_begin(a, b, w);
	}
	while (w->next_a < a->n && w->next_b < b->n) {
		uint32_t i = w->next_a, k = w->next_b;
		size_t from_a = columns_token_from(a, i), from_b = columns_token_from(b, k);
		size_t end_a = a->bytes_end[i], end_b = b->bytes_end[k];
		if (from_a > w->same || from_b > w->same) {
			return false;
		}
		/* Advance to the next boundary; both sides advance where they share it. */
		w->next_a += end_a <= end_b;
		w->next_b += end_b <= end_a;
		if (from_a == from_b && position_walk_fits(a, b, i, k)) {
			w->a = i;
			w->b = k;
			w->equal = end_a == end_b && end_a <= w->same;
			return true;
		}
	}
	return false;
}
