#pragma once
/*
 * likelihood - the logarithm of a likelihood of one parameter, known by its slope and its curvature at
 * fixed points: sums over draws, which add up in any order. Pure.
 *
 * Between two points the slope is the cubic Hermite polynomial of both ends (its derivative is minus the
 * curvature); values are its integral. Outside of the points there is nothing: what is asked there is
 * answered for the nearest point.
 */
#include "analyzer/stats/stats.h"

#define LIKELIHOOD_DROP 1.920729410347062 /* half the 95 % quantile of chi-squared with 1 freedom */

struct likelihood {
	size_t n;                /* points, at least 2 */
	const double *at;        /* rising */
	const double *slope;     /* d/dx log L */
	const double *curvature; /* -d2/dx2 log L: the observed information */
};

/* log L(to) - log L(from) */
double likelihood_gain(const struct likelihood *l, double from, double to);
/* P(X >= 2 gain) of chi-squared with one degree of freedom: the p value of a gain over a null
 * hypothesis with one parameter less (Wilks 1938). 1 where gain is not above 0. */
double likelihood_p(double gain);
/* The polynomial through n points, n at most 8 (Lagrange), at x, which is taken into their range. */
double likelihood_between(const double *at, const double *values, size_t n, double x);
