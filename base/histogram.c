#include "base/histogram.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/mem.h"

#define HALF (HISTOGRAM_EXACT / 2)
#define TOP_BIT 41 /* of HISTOGRAM_LIMIT */
#define N_COUNTS (HISTOGRAM_EXACT + (TOP_BIT - HISTOGRAM_BITS + 1) * HALF)

/*
 * Values below 2^11 have a counter each. Those from 2^k to 2^(k+1) share HALF counters, each of which
 * covers 2^(k-10) values.
 */
static size_t counter_of(uint64_t value)
{
	if (value < HISTOGRAM_EXACT) {
		return value;
	}
	unsigned top = 63 - (unsigned)__builtin_clzll(value);
	unsigned shift = top - (HISTOGRAM_BITS - 1);
	return HISTOGRAM_EXACT + (shift - 1) * HALF + ((value >> shift) - HALF);
}

/* The largest value that the counter stands for. */
static uint64_t highest_of(size_t counter)
{
	if (counter < HISTOGRAM_EXACT) {
		return counter;
	}
	size_t over = counter - HISTOGRAM_EXACT;
	unsigned shift = (unsigned)(over / HALF) + 1;
	return ((HALF + over % HALF + 1) << shift) - 1;
}

void histogram_add_many(struct histogram *h, uint64_t value, uint64_t n)
{
	value = MIN(value, HISTOGRAM_LIMIT);
	if (n == 0) {
		return;
	}
	if (!h->counts) {
		h->counts = xcalloc(N_COUNTS, sizeof(*h->counts));
	}
	h->counts[counter_of(value)] += n;
	h->least = h->n ? MIN(h->least, value) : value;
	h->most = h->n ? MAX(h->most, value) : value;
	h->n += n;
	h->sum += (histogram_sum)value * n;
	h->squares += (histogram_sum)value * value * n;
}

void histogram_add(struct histogram *h, uint64_t value)
{
	histogram_add_many(h, value, 1);
}

void histogram_merge(struct histogram *h, const struct histogram *from)
{
	if (!from->n) {
		return;
	}
	if (!h->counts) {
		h->counts = xcalloc(N_COUNTS, sizeof(*h->counts));
	}
	for (size_t i = counter_of(from->least); i <= counter_of(from->most); i++) {
		h->counts[i] += from->counts[i];
	}
	h->least = h->n ? MIN(h->least, from->least) : from->least;
	h->most = h->n ? MAX(h->most, from->most) : from->most;
	h->n += from->n;
	h->sum += from->sum;
	h->squares += from->squares;
}

void histogram_finish(struct histogram *h)
{
	free(h->counts);
	*h = (struct histogram){0};
}

uint64_t histogram_quantile(const struct histogram *h, double q)
{
	if (!h->n) {
		return 0;
	}
	uint64_t rank = (uint64_t)ceil(q * (double)h->n);
	if (rank <= 1) {
		return h->least;
	}
	if (rank >= h->n) {
		return h->most;
	}
	uint64_t seen = 0;
	size_t i = counter_of(h->least);
	for (; i < N_COUNTS; i++) {
		seen += h->counts[i];
		if (seen >= rank) {
			break;
		}
	}
	return MIN(highest_of(i), h->most);
}

double histogram_mean(const struct histogram *h)
{
	return h->n ? (double)h->sum / (double)h->n : 0;
}

double histogram_deviation(const struct histogram *h)
{
	if (!h->n) {
		return 0;
	}
	/* Distances from a whole number near the mean, exactly: what wraps around comes back. */
	histogram_sum near = h->sum / h->n;
	histogram_sum squares = h->squares - 2 * near * h->sum + h->n * near * near;
	double off = (double)(h->sum - near * h->n) / (double)h->n;
	return sqrt((double)squares / (double)h->n - off * off);
}

static uint64_t lowest_of(size_t counter)
{
	return counter == 0 ? 0 : highest_of(counter - 1) + 1;
}

bool histogram_next(const struct histogram *h, struct histogram_bin *bin)
{
	if (!h->n) {
		return false;
	}
	size_t i = bin->n == 0 ? counter_of(h->least) : counter_of(bin->high) + 1;
	for (; i <= counter_of(h->most); i++) {
		if (h->counts[i] > 0) {
			*bin = (struct histogram_bin){lowest_of(i), highest_of(i), h->counts[i]};
			return true;
		}
	}
	return false;
}
