#pragma once
/*
 * totals - sums over many numbers at once. Pure.
 *
 * They are added up in four lanes, so that the same numbers in the same order give the same bits on every
 * processor, but not those of adding them one by one.
 */
#include <stddef.h>

struct totals {
	size_t n; /* numbers that are no NaN; all below are of these */
	double sum, squares;
	double least, greatest; /* of none: infinities */
};

void totals_of(const double *x, size_t n, struct totals *ret);
/* The same without least and greatest, which are 0. */
void totals_moments(const double *x, size_t n, struct totals *ret);
/* The sum alone. */
double totals_sum(const double *x, size_t n);
/* The sums of TOTALS_AT_ONCE columns of n numbers each, in the time of one. */
#define TOTALS_AT_ONCE 8
void totals_sums(const double *const *x, size_t n, double *ret);
/* How many are greater than that. */
size_t totals_above(const double *x, size_t n, double limit);
