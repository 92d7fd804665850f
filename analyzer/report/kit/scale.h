#pragma once
/*
 * scale - a linear axis: which values it covers, where they are drawn, and its ticks. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#define SCALE_TICKS 16

struct scale {
	double low, high; /* the range of values */
	double from, to;  /* the positions where low and high are drawn */
};

/* Widens the scale to a value; NaN changes nothing. */
void scale_include(struct scale *s, double value);
/* Call after the last value. least: the smallest difference of high and low. whole: low and high
 * are ticks. */
void scale_settle(struct scale *s, double least, bool whole);
double scale_place(const struct scale *s, double value);
/* The values of the ticks, rising. Returns their number. */
size_t scale_ticks(const struct scale *s, double ret[SCALE_TICKS]);
