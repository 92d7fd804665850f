#pragma once
/*
 * parting - where two readings part. Pure comparison of two choices, by bytes first, so that two
 * tokenisers can be held against each other.
 *
 * A position is comparable iff both sides had the same bytes before it; the first differing one is
 * included (divergence is looked for on comparable positions only). With the same token boundaries
 * that is simply: tokens 0 .. first difference.
 */
#include "answers/reading.h"

struct parting {
	bool text_equal;      /* answer texts equal, byte for byte */
	size_t first_byte;    /* first differing byte of the answer; the shorter length if one is a
	                         prefix */
	bool has_tokens;      /* both sides have columns that spell their text */
	uint32_t comparable;  /* comparable positions */
	bool tokens_part;     /* a differing token was found at position first_token */
	uint32_t first_token; /* of a; of b the same when the boundaries are alike */
};

void parting_find(const struct choice *a, const struct choice *b, struct parting *ret);

/*
 * The comparable positions one by one, as the numbers of the tokens on both sides:
 *
 *	struct parting_walk w = {0};
 *	while (parting_walk_next(&a->columns, &b->columns, &w)) {
 *		columns_token(&a->columns, w.a), columns_token(&b->columns, w.b) ...
 *	}
 *
 * With unlike token boundaries these are the positions where a token begins on both sides.
 * A token without bytes on one side only is passed over: its place among the bytes does not tell
 * which token it is. So are the tokens of a character that takes several of them, if the sides show
 * it in different ways: engines put all its bytes on the first or on the last token, or cut it.
 */
struct parting_walk {
	uint32_t a, b;
	bool equal;   /* the tokens there have equal bytes */
	bool started; /* internal, as are these: */
	size_t same;  /* leading bytes that both sides share */
	uint32_t next_a, next_b;
};
/* Private: finds how far both sides are the same. */
void parting_walk_begin(const struct columns *a, const struct columns *b, struct parting_walk *w);

/* Private: can the tokens, which begin at the same byte, be the same step on both sides? */
bool parting_walk_fits(const struct columns *a, const struct columns *b, uint32_t i, uint32_t k);

/* How many of the next positions, up to `most`, are equal tokens that both sides take in one step. The walk has
 * begun. */
uint32_t parting_walk_together(const struct columns *a, const struct columns *b,
        const struct parting_walk *w, uint32_t most);

/* Passes over n of these. */
static inline void parting_walk_pass(struct parting_walk *w, uint32_t n)
{
	w->next_a += n;
	w->next_b += n;
}

static inline bool parting_walk_next(
        const struct columns *a, const struct columns *b, struct parting_walk *w)
{
	if (!w->started) {
		parting_walk_begin(a, b, w);
	}
	while (w->next_a < a->n && w->next_b < b->n) {
		uint32_t i = w->next_a, k = w->next_b;
		size_t from_a = columns_token_from(a, i), from_b = columns_token_from(b, k);
		size_t end_a = a->bytes_end[i], end_b = b->bytes_end[k];
		if (from_a > w->same || from_b > w->same) {
			return false;
		}
		/* On to the next boundary; both go on when they share it. */
		w->next_a += end_a <= end_b;
		w->next_b += end_b <= end_a;
		if (from_a == from_b && parting_walk_fits(a, b, i, k)) {
			w->a = i;
			w->b = k;
			w->equal = end_a == end_b && end_a <= w->same;
			return true;
		}
	}
	return false;
}
