#pragma once
/*
 * log_histogram - counts of values by magnitude, in fixed bins: four for each power of two, from
 * 2^-16 to 2^6. Smaller values are in the first bin, larger ones in the last.
 *
 * Adding in any order gives the same histogram. A bin is at most 25 % of its lower bound wide.
 * Quantiles are interpolated within a bin; in the first and last bin they are the lower bound. NaN
 * is ignored. Pure; needs no freeing.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOG_HISTOGRAM_BINS 90 /* bin 0: below 2^-16; the last: 2^6 and above */

struct log_histogram { /* zero-initialised: empty */
	uint64_t n[LOG_HISTOGRAM_BINS];
};

/* Adds the magnitude of a value. */
void log_histogram_add(struct log_histogram *h, double value);
void log_histogram_merge(struct log_histogram *h, const struct log_histogram *other);
uint64_t log_histogram_count(const struct log_histogram *h);
/* The lower bound of the bin; bin LOG_HISTOGRAM_BINS: infinite. */
double log_histogram_low(size_t bin);
/* The quantile q, from 0 to 1. NaN: the histogram is empty. */
double log_histogram_quantile(const struct log_histogram *h, double q);

/* Counts values of either sign. positive.n[0] counts all of magnitude below 2^-16. */
struct signed_histogram { /* zero-initialised: empty */
	struct log_histogram negative, positive;
};

void signed_histogram_add(struct signed_histogram *h, double value);
void signed_histogram_merge(struct signed_histogram *h, const struct signed_histogram *other);
uint64_t signed_histogram_count(const struct signed_histogram *h);
double signed_histogram_quantile(const struct signed_histogram *h, double q);
