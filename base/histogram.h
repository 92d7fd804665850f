#pragma once
/*
 * histogram - counts values with a bounded relative error over any range: bins are linear within
 * each power of two (as in HdrHistogram).
 *
 * Values below HISTOGRAM_EXACT are exact, others to 1 part in 1024. A value above HISTOGRAM_LIMIT
 * counts as HISTOGRAM_LIMIT. All sums are integers, so the order of adding and merging does not
 * matter. The caller chooses the unit. Zero-initialised is empty. One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_BITS 11 /* `bits` of a struct histogram */
#define HISTOGRAM_EXACT (UINT64_C(1) << HISTOGRAM_BITS)
#define HISTOGRAM_LIMIT ((UINT64_C(1) << 42) - 1) /* if values are microseconds: 50 days */

__extension__ typedef unsigned __int128 histogram_sum;

struct histogram {
	uint64_t *counts; /* NULL until the first value */
	uint64_t n;
	uint64_t least, most; /* exact; not valid while n is 0 */
	histogram_sum sum, squares;
};

/* The bin of a value, and the least and the greatest value of a bin. Each value below 2^bits has
 * its own bin. For k >= bits, the values in [2^k, 2^(k+1)) share 2^(bits-1) bins of equal width. */
size_t histogram_index(uint64_t value, unsigned bits);
uint64_t histogram_index_low(size_t index, unsigned bits);
uint64_t histogram_index_high(size_t index, unsigned bits);

void histogram_add(struct histogram *h, uint64_t value);
void histogram_add_many(struct histogram *h, uint64_t value, uint64_t n);
/* Equivalent to adding each value of `from`. */
void histogram_merge(struct histogram *h, const struct histogram *from);
void histogram_finish(struct histogram *h);

/* The q-quantile by nearest rank (0 <= q <= 1), rounded up to the greatest value of its bin, but
 * exact if it is the least or the greatest value added; 0 if the histogram is empty. */
uint64_t histogram_quantile(const struct histogram *h, double q);
struct histogram_bin {
	uint64_t low, high; /* the least and the greatest value of the bin */
	uint64_t n;         /* above 0 */
};
/* Sets *bin to the next bin with values, in increasing order; start with a zeroed bin. False: there
 * are no more. */
bool histogram_next(const struct histogram *h, struct histogram_bin *bin);
double histogram_mean(const struct histogram *h); /* 0 when empty */
/* standard deviation, with n and not n - 1; 0 when empty */
double histogram_deviation(const struct histogram *h);
