#pragma once
/*
 * sheet - what lists say of positions at which both sides list the same tokens: many positions at once.
 *
 * At most positions the five most probable tokens of both sides are the same, so that nothing is hidden
 * from one side alone and no token wants a case of its own. What position_bounds() and
 * position_kl_renormalised() say of such a position is reckoned here for a sheet of them side by side;
 * the figures are theirs, to rounding. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/position.h"

#define SHEET_MOST 64

struct sheet {
	size_t n;                  /* rows that are taken */
	uint64_t hash[SHEET_MOST]; /* the caller's, as is this: */
	uint8_t mark[SHEET_MOST];
	/* By token and row: */
	double base[POSITION_PLAIN][SHEET_MOST], test[POSITION_PLAIN][SHEET_MOST];
	/* Once reckoned: */
	double base_p[POSITION_PLAIN][SHEET_MOST], test_p[POSITION_PLAIN][SHEET_MOST];
	double kl_low[SHEET_MOST], tv_low[SHEET_MOST], tv_high[SHEET_MOST];
	double js_low[SHEET_MOST], js_high[SHEET_MOST];
	double hidden[SHEET_MOST]; /* mean of both sides */
	double renormalised[SHEET_MOST];
};

/* May the position stand in a sheet? p: without probabilities will do. */
bool sheet_fits(const struct position *p);
/* Takes a row for a position that fits; the sheet must not be full. */
void sheet_add(struct sheet *s, const struct position *p, uint64_t hash, uint8_t mark);
/* Reckons all rows. The caller empties the sheet: n = 0. */
void sheet_reckon(struct sheet *s);
