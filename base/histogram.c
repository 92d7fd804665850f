#include "base/histogram.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/mem.h"

#define TOP_BIT 41 /* of HISTOGRAM_LIMIT */
#define N_COUNTS (HISTOGRAM_EXACT + (TOP_BIT - HISTOGRAM_BITS + 1) * (HISTOGRAM_EXACT / 2))

/* Returns how many low bits of a value its bin ignores. */
static unsigned shift_of(size_t index, unsigned bits)
{
	return index < (size_t)1 << bits ? 0 : (unsigned)(index >> (bits - 1)) - 1;
}

size_t histogram_index(uint64_t value, unsigned bits)
{
	if (value < UINT64_C(1) << bits) {
		return value;
	}
	unsigned shift = 63 - (unsigned)__builtin_clzll(value) - (bits - 1);
	return ((size_t)shift << (bits - 1)) + (value >> shift);
}

uint64_t histogram_index_low(size_t index, unsigned bits)
{
	unsigned shift = shift_of(index, bits);
	return (uint64_t)(index - ((size_t)shift << (bits - 1))) << shift;
}

uint64_t histogram_index_high(size_t index, unsigned bits)
{
	return histogram_index_low(index, bits) + (UINT64_C(1) << shift_of(index, bits)) - 1;
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
	h->counts[histogram_index(value, HISTOGRAM_BITS)] += n;
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
	for (size_t i = histogram_index(from->least, HISTOGRAM_BITS);
	        i <= histogram_index(from->most, HISTOGRAM_BITS); i++) {
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
	uint64_t counted = 0;
	size_t i = histogram_index(h->least, HISTOGRAM_BITS);
	for (; i < N_COUNTS; i++) {
		counted += h->counts[i];
		if (counted >= rank) {
			break;
		}
	}
	return MIN(histogram_index_high(i, HISTOGRAM_BITS), h->most);
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

bool histogram_next(const struct histogram *h, struct histogram_bin *bin)
{
	if (!h->n) {
		return false;
	}
	size_t i = bin->n == 0 ? histogram_index(h->least, HISTOGRAM_BITS)
	                       : histogram_index(bin->high, HISTOGRAM_BITS) + 1;
	for (; i <= histogram_index(h->most, HISTOGRAM_BITS); i++) {
		if (h->counts[i] > 0) {
			*bin = (struct histogram_bin){histogram_index_low(i, HISTOGRAM_BITS),
			        histogram_index_high(i, HISTOGRAM_BITS), h->counts[i]};
			return true;
		}
	}
	return false;
}
