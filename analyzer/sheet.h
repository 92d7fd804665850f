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

#include "analyzer/plain.h"

#define SHEET_MOST 64

typedef double sheet_column[SHEET_MOST];

struct sheet {
	size_t n;    /* rows that are taken */
	bool alike;  /* of all rows */
	size_t most; /* tokens, of the row with the most */
	/* By row: what was taken. */
	uint64_t hash[SHEET_MOST];  /* the caller's */
	uint8_t tokens[SHEET_MOST]; /* of both lists together */
	uint8_t chosen[SHEET_MOST]; /* the token that both chose */
	uint8_t best[SHEET_MOST];   /* the test's most probable; only if not alike */
	float base_lp[LISTING_PLAIN][SHEET_MOST];
	float test_lp[PLAIN_MOST][SHEET_MOST]; /* NaN: not listed */
	sheet_column
	        change; /* test - base of the chosen token, as chosen and not as listed; or a NaN */

	/* Once reckoned; of the lists alone: */
	sheet_column
	        top_change; /* test - base, of the base's most probable; NaN: the test lacks it */
	sheet_column same_top; /* 1: it is the test's most probable too; else 0 */
	sheet_column gap;      /* of the base's two most probable */
	sheet_column noise;    /* test - base of this gap; NaN: the test lacks either */
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
 * Neither sheet may be full.
 */
struct sheet *sheet_take(struct sheet *alike, struct sheet *unlike, const struct listing *base,
        const struct listing *test, uint64_t hash);
/* Reckons all rows, of which there is one at least. The caller empties the sheet by sheet_clear(). */
void sheet_reckon(struct sheet *s);
/* Private, in sheet_bounds.c: the distances between the distributions, and p_change. */
void sheet_reckon_bounds(struct sheet *s);

static inline bool sheet_is_full(const struct sheet *s)
{
	return s->n == SHEET_MOST;
}

static inline void sheet_clear(struct sheet *s)
{
	s->n = 0;
	s->most = LISTING_PLAIN;
}
