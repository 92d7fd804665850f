#include "analyzer/stats/log_histogram.h"

#include <math.h>

#define LEAST_EXPONENT (-16)
#define PER_OCTAVE 4
#define LAST (LOG_HISTOGRAM_BINS - 1)

static size_t bin_of(double size)
{
	if (!(size >= ldexp(1, LEAST_EXPONENT))) {
		return 0;
	}
	if (isinf(size)) {
		return LAST;
	}
	int exponent;
	double fraction = frexp(size, &exponent); /* from 1/2 up to 1; size = fraction 2^exponent */
	int octave = exponent - 1 - LEAST_EXPONENT;
	size_t bin = 1 + PER_OCTAVE * (size_t)octave + (size_t)((2 * fraction - 1) * PER_OCTAVE);
	return bin < LAST ? bin : LAST;
}

void log_histogram_add(struct log_histogram *h, double value)
{
	if (!isnan(value)) {
		h->n[bin_of(fabs(value))]++;
	}
}

void log_histogram_merge(struct log_histogram *h, const struct log_histogram *other)
{
	for (size_t i = 0; i < LOG_HISTOGRAM_BINS; i++) {
		h->n[i] += other->n[i];
	}
}

uint64_t log_histogram_count(const struct log_histogram *h)
{
	uint64_t n = 0;
	for (size_t i = 0; i < LOG_HISTOGRAM_BINS; i++) {
		n += h->n[i];
	}
	return n;
}

double log_histogram_low(size_t bin)
{
	if (bin == 0) {
		return 0;
	}
	if (bin > LAST) {
		return INFINITY;
	}
	size_t octave = (bin - 1) / PER_OCTAVE, quarter = (bin - 1) % PER_OCTAVE;
	return ldexp(1 + (double)quarter / PER_OCTAVE, LEAST_EXPONENT + (int)octave);
}

/* The value at a given share of a bin. Of the first and the last bin only the lower end is
 * known, which is returned. */
static double within(size_t bin, double share)
{
	double low = log_histogram_low(bin);
	return bin == 0 || bin == LAST ? low : low + share * (log_histogram_low(bin + 1) - low);
}

double log_histogram_quantile(const struct log_histogram *h, double q)
{
	struct signed_histogram all = {.positive = *h};
	return signed_histogram_quantile(&all, q);
}

void signed_histogram_add(struct signed_histogram *h, double value)
{
	bool is_negative = value < 0 && bin_of(-value) > 0;
	log_histogram_add(is_negative ? &h->negative : &h->positive, value);
}

void signed_histogram_merge(struct signed_histogram *h, const struct signed_histogram *other)
{
	log_histogram_merge(&h->negative, &other->negative);
	log_histogram_merge(&h->positive, &other->positive);
}

uint64_t signed_histogram_count(const struct signed_histogram *h)
{
	return log_histogram_count(&h->negative) + log_histogram_count(&h->positive);
}

double signed_histogram_quantile(const struct signed_histogram *h, double q)
{
	double left = q * (double)signed_histogram_count(h), last = NAN;
	for (size_t i = LOG_HISTOGRAM_BINS; i-- > 0;) {
		double n = (double)h->negative.n[i];
		if (n > 0 && left <= n) {
			return -within(i, 1 - left / n);
		}
		last = n > 0 ? -within(i, 0) : last;
		left -= n;
	}
	for (size_t i = 0; i < LOG_HISTOGRAM_BINS; i++) {
		double n = (double)h->positive.n[i];
		if (n > 0 && left <= n) {
			return within(i, left / n);
		}
		last = n > 0 ? within(i, 1) : last;
		left -= n;
	}
	return last;
}
