#include "analyzer/stats/likelihood.h"

#include <math.h>

static double within(const double *at, size_t n, double x)
{
	return fmin(fmax(x, at[0]), at[n - 1]);
}

/* The integral of the slope over the first t of piece i, 0 <= t <= 1. */
static double integral(const struct likelihood *l, size_t i, double t)
{
	double h = l->at[i + 1] - l->at[i], t2 = t * t, t3 = t2 * t, t4 = t3 * t;
	double ends = l->slope[i] * (t4 / 2 - t3 + t) + l->slope[i + 1] * (t3 - t4 / 2);
	double bends = l->curvature[i] * (t4 / 4 - 2 * t3 / 3 + t2 / 2) +
	               l->curvature[i + 1] * (t4 / 4 - t3 / 3);
	return h * (ends - h * bends);
}

static double from_first(const struct likelihood *l, double x)
{
	double sum = 0;
	size_t last = 0; /* the first point of the piece that holds x */
	x = within(l->at, l->n, x);
	while (last + 2 < l->n && x > l->at[last + 1]) {
		last++;
	}
	for (size_t i = 0; i < last; i++) {
		sum += integral(l, i, 1);
	}
	return sum + integral(l, last, (x - l->at[last]) / (l->at[last + 1] - l->at[last]));
}

double likelihood_gain(const struct likelihood *l, double from, double to)
{
	return from_first(l, to) - from_first(l, from);
}

double likelihood_p(double gain)
{
	return gain > 0 ? erfc(sqrt(gain)) : 1;
}

double likelihood_between(const double *at, const double *values, size_t n, double x)
{
	double sum = 0;
	x = within(at, n, x);
	for (size_t i = 0; i < n; i++) {
		double weight = 1;
		for (size_t j = 0; j < n; j++) {
			weight *= j == i ? 1 : (x - at[j]) / (at[i] - at[j]);
		}
		sum += weight * values[i];
	}
	return sum;
}
