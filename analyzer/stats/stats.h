#pragma once
/*
 * stats - mean, variance and interval of values that are added one by one. Pure.
 */
#include <stddef.h>
#include <stdint.h>

#include "analyzer/stats/exact_sum.h"

struct interval {
	double low, high;
};

struct moments { /* zero-initialised: empty; sums are exact (exact_sum.h) */
	uint64_t n;
	struct exact_sum sum, squares;
	/* values and squares that are beyond the limit of exact_sum.h; that are not finite */
	uint64_t saturated, not_finite;
};

void moments_add(struct moments *m, double value);
/* Adds n values by their sum and the sum of their squares. */
void moments_add_sums(struct moments *m, uint64_t n, double sum, double squares);
void moments_merge(struct moments *m, const struct moments *other);
/* The mean, and the root of the mean of the squares. NaN if n is 0 or an added value was not
 * finite. */
double moments_mean(const struct moments *m);
double moments_rms(const struct moments *m);
/* The unbiased estimate, with n - 1; NaN if n is below 2 or an added value was not finite. */
double moments_variance(const struct moments *m);
/* The 95 % interval of a's mean minus b's; the variances may differ (Welch 1947, with the
 * degrees of freedom of Satterthwaite 1946). NaN if either has fewer than two values. If neither
 * varies, both ends are the difference. */
struct interval moments_difference(const struct moments *a, const struct moments *b);

/* Sorts in rising order; none may be NaN. */
void stats_sort(double *values, size_t n);
