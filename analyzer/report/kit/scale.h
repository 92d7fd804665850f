#pragma once
/*
 * scale - a linear axis: which values it covers, where they are drawn, and its ticks. The unit of
 * positions is the caller's. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#define SCALE_TICKS 16 /* the most ticks */

struct scale {
	double low, high; /* the range of values */
	double from, to;  /* the positions at which low and high are drawn */
};

/* Widens the range to a value; NaN changes nothing. Before the first value, the caller sets low
 * and high. */
void scale_include(struct scale *s, double value);
/* Call after the last value. least: if all values are equal, high becomes low + least. whole: widen
 * the scale until low and high are ticks. */
void scale_settle(struct scale *s, double least, bool whole);
double scale_place(const struct scale *s, double value); /* the value's position */
/* The values of the ticks, rising, 1, 2 or 5 times a power of ten apart. Returns their number. */
size_t scale_ticks(const struct scale *s, double ret[SCALE_TICKS]);
