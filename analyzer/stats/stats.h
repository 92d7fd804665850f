#pragma once
/*
 * stats - sums that are taken in one pass, and the intervals that go with them. Pure.
 */
#include <stddef.h>
#include <stdint.h>

#include "analyzer/stats/exact_sum.h"

struct interval {
	double low, high;
};

/* Wilson's 95 % interval of a rate; 0..1 when n is 0. */
struct interval stats_wilson(uint64_t hits, uint64_t n);
/* The exact 95 % interval of the mean of a Poisson count. */
struct interval stats_poisson(uint64_t events);

struct moments { /* zero-initialised is empty; exact_sum */
	uint64_t n;
	struct exact_sum sum, squares;
	struct exact_losses losses;
};

void moments_add(struct moments *m, double value);
void moments_merge(struct moments *m, const struct moments *other);
/* NaN when n is 0, or a value was not finite; as is the next. */
double moments_mean(const struct moments *m);
double moments_rms(const struct moments *m);

#define SPREAD_BUCKETS 960

/* Whole numbers: mean exact; quantiles exact below 64, else within 2 %. In constant memory. */
struct spread {
	uint64_t n;
	double sum;
	uint64_t max;
	uint64_t buckets[SPREAD_BUCKETS];
};

void spread_add(struct spread *s, uint64_t value);
void spread_merge(struct spread *s, const struct spread *other);
double spread_mean(const struct spread *s);
/* Values from from up to, not including, to; exact if both are powers of two, below 64, or to is
 * UINT64_MAX. */
uint64_t spread_between(const struct spread *s, uint64_t from, uint64_t to);
/* The least value that falls into a bucket. */
uint64_t spread_bucket_low(size_t bucket);
double spread_quantile(const struct spread *s, double q); /* q from 0 to 1 */

/* Rising order; none may be NaN. */
void stats_sort(double *values, size_t n);
