#pragma once
/*
 * likelihood - the log likelihood of one parameter, interpolated from its slope and curvature at
 * fixed values of the parameter, the *points*. Pure.
 *
 * Between two points, the slope is the cubic Hermite polynomial that matches the slope and its
 * derivative (minus the curvature) at both points; the log likelihood is its integral. A value
 * outside of the points' range counts as the nearest point.
 */
#include "analyzer/stats/stats.h"

/* Half the 95 % quantile of chi-squared with one degree of freedom. The 95 % interval of the
 * parameter has the values whose log likelihood is at most this much below the greatest one. */
#define LIKELIHOOD_DROP 1.920729410347062

struct likelihood {
	size_t n;                /* number of points, at least 2 */
	const double *at;        /* values of the parameter at the points, rising */
	const double *slope;     /* d/dx log L */
	const double *curvature; /* -d2/dx2 log L: the observed information */
};

/* log L(to) - log L(from) */
double likelihood_gain(const struct likelihood *l, double from, double to);
/* P(X >= 2 gain) of chi-squared with one degree of freedom: the p value of a gain in log
 * likelihood over a null hypothesis with one parameter fewer (Wilks 1938). 1 if gain is 0,
 * negative or NaN. */
double likelihood_p(double gain);
/* The value at x of the polynomial through n points, n at most 8 (Lagrange); x is limited to their
 * range. */
double likelihood_between(const double *at, const double *values, size_t n, double x);
