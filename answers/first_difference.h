#pragma once
/*
 * first_difference - finds the first difference of two choices. It compares bytes before tokens, so
 * that answers from different tokenizers can be compared. Pure.
 *
 * A position is comparable if both sides have the same bytes before it. The last comparable
 * position is the first one that differs. If both sides have the same token boundaries, the
 * comparable positions are the tokens up to the first difference.
 */
#include "answers/reading.h"

struct first_difference {
	bool text_equal; /* the texts are equal, byte for byte */
	/* offset of the first byte that differs; the shorter length if one text begins the other */
	size_t first_byte;
	bool has_tokens;     /* both sides have tokens that spell their text */
	uint32_t comparable; /* number of comparable positions */
	bool tokens_differ;  /* the tokens differ, at position first_token */
	/* index of the token in a; also in b if the token boundaries are equal */
	uint32_t first_token;
};

void first_difference_find(
        const struct choice *a, const struct choice *b, struct first_difference *ret);

/*
 * Iterates over the comparable positions and gives the token's index on each side:
 *
 *	struct position_walk w = {0};
 *	while (position_walk_next(&a->columns, &b->columns, &w)) {
 *		columns_token(&a->columns, w.a), columns_token(&b->columns, w.b) ...
 *	}
 *
 * If token boundaries differ, these are the positions at which a token begins on both sides. The
 * walk skips a token without bytes if only one side has it, because its place in the text is
 * unknown. Engines write a character of several tokens in different ways: all its bytes on the
 * first or on the last of these tokens, or split. If the two sides write a character differently,
 * the walk skips its tokens.
 */
struct position_walk {
	uint32_t a, b;
	bool equal;   /* the tokens there have equal bytes */
	bool started; /* internal, like the following: */
	size_t same;  /* length of the common beginning, bytes */
	uint32_t next_a, next_b;
};
/* For the functions below only: finds the length of the common beginning. */
void position_walk_begin(const struct columns *a, const struct columns *b, struct position_walk *w);

/* For the functions below only: true if token i of a and token k of b, which begin at the same
 * byte, can be the same step of generation. */
bool position_walk_is_same_step(
        const struct columns *a, const struct columns *b, uint32_t i, uint32_t k);

/* The number of next positions, at most limit, at which both sides have equal tokens. Call it only
 * after position_walk_next() or position_walk_begin(). */
uint32_t position_walk_count_equal(const struct columns *a, const struct columns *b,
        const struct position_walk *w, uint32_t limit);

/* Skips n positions that position_walk_count_equal() counted. */
static inline void position_walk_skip(struct position_walk *w, uint32_t n)
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
		if (from_a == from_b && position_walk_is_same_step(a, b, i, k)) {
			w->a = i;
			w->b = k;
			w->equal = end_a == end_b && end_a <= w->same;
			return true;
		}
	}
	return false;
}
