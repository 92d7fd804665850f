#pragma once
/*
 * sheet - what plain lists say of positions at which both sides chose the same token: many positions at
 * once. Pure.
 *
 * Most positions are of this kind. Their logprobs are written down side by side, a row a position, and what
 * the functions of position and bounds say of one is reckoned for all rows in loops without branches; the
 * figures are theirs, to rounding. There are two sheets: one of positions at which both list the same tokens
 * in the same order, so that no token wants a case of its own, and one of all others.
 */
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/tokens/plain.h"
#include "analyzer/tokens/strip.h"

#define SHEET_MOST 64
#define SHEET_AT_ONCE 4 /* rows that are reckoned in one step; SHEET_MOST is a multiple */

typedef double sheet_column[SHEET_MOST];

struct sheet {
	size_t n;   /* rows that are taken */
	bool alike; /* of all rows */
	/* Once reckoned, of all rows that are alike: both lists fall from their first token on, which is the chosen
	 * one, as engines write them. Then top_change is lp_change, same_top and jaccard are 1 and rank is 0. */
	bool ordered;
	size_t most; /* tokens, of the row with the most */
	/* By row: what was taken. */
	const struct columns *base, *test;                /* of all rows */
	uint32_t at[SHEET_MOST], test_at[SHEET_MOST];     /* their tokens */
	uint32_t rows[SHEET_MOST], test_rows[SHEET_MOST]; /* the first of their alternatives */
	uint64_t seen[SHEET_MOST];  /* the caller's: bit k is of the base's number k */
	uint8_t tokens[SHEET_MOST]; /* of both lists together; only if not alike, as is */
	uint8_t best[SHEET_MOST];   /* the test's most probable */
	sheet_column chosen;        /* the token that both chose */

	/* Once reckoned; logprobs: */
	sheet_column said_base, said_test; /* of the chosen token, as chosen and not as listed */
	sheet_column base_lp[LISTING_PLAIN];
	sheet_column test_lp[PLAIN_MOST]; /* NaN: not listed */
	/* Of the lists alone: */
	sheet_column
	        top_change; /* test - base, of the base's most probable; NaN: the test lacks it */
	sheet_column same_top; /* 1: it is the test's most probable too; else 0 */
	sheet_column gap;      /* of the base's two most probable */
	sheet_column noise;    /* test - base of this gap; NaN: the test lacks either */
	sheet_column jaccard;  /* tokens that both list over those that either lists */
	sheet_column change;   /* said_test - said_base; NaN: either is not finite */
	sheet_column rank;     /* tokens that the base holds more probable than the chosen one */
	sheet_column chosen_base, chosen_test; /* logprobs */
	sheet_column lp_change, p_change;      /* test - base, of the chosen token */
	sheet_column k3;
	/* The gap of the two that both together hold most probable; NaN where both list less than two. */
	sheet_column both_base, both_test;
	/* And of the distributions (see bounds): */
	sheet_column kl_low, tv_low, tv_high, js_low, js_high;
	sheet_column hidden; /* mean of both sides */
	sheet_column renormalised;
};

/* Begins both. */
void sheet_begin(struct sheet *alike, struct sheet *unlike);
/*
 * Takes a row for a position at which both sides chose the same bytes, if both lists are plain and have
 * probabilities that don't vanish. Returns the sheet that took it, of whose rows it is the last, or NULL.
 * Neither sheet may be full. All rows are of the same columns, which are read once they are reckoned.
 */
struct sheet *sheet_take(struct sheet *alike, struct sheet *unlike, const struct listing *base,
        const struct listing *test);
/* The same of a position of a plain strip. */
struct sheet *sheet_take_of_strip(
        struct sheet *alike, struct sheet *unlike, const struct strip *strip, uint32_t i);
/* Reckons all rows, of which there is one at least. The caller empties the sheet by sheet_clear(). */
void sheet_reckon(struct sheet *s);
/* Private, in sheet_rows.c: the logprobs of the first n rows; of rows that are not alike, those of the base's list alone. */
void sheet_read_rows(struct sheet *s, size_t n);
/* Private, in sheet_bounds.c: the distances between the distributions, and p_change, of the first n rows. */
void sheet_reckon_bounds(struct sheet *s, size_t n);

static inline bool sheet_is_full(const struct sheet *s)
{
	return s->n == SHEET_MOST;
}

/* Rows that hold numbers once it is reckoned: those behind the last one are like it. */
static inline size_t sheet_filled(const struct sheet *s)
{
	return (s->n + SHEET_AT_ONCE - 1) / SHEET_AT_ONCE * SHEET_AT_ONCE;
}

static inline void sheet_clear(struct sheet *s)
{
	s->n = 0;
	s->most = LISTING_PLAIN;
}

/* Takes n positions of a strip from i on, all of which strip_is_alike() of. The sheet is the one for such, and has room. */
static inline void sheet_take_alike(
        struct sheet *s, const struct strip *strip, uint32_t i, uint32_t n)
{
	s->base = strip->base->columns;
	s->test = strip->test->columns;
	for (size_t row = s->n; row < s->n + n; row++, i++) {
		s->at[row] = strip->a + i;
		s->test_at[row] = strip->b + i;
		s->rows[row] = strip->base_row + LISTING_PLAIN * i;
		s->test_rows[row] = strip->test_row + LISTING_PLAIN * i;
		s->chosen[row] = 0;
	}
	s->n += n;
}
