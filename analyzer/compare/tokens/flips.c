#include "analyzer/compare/tokens/flips.h"

#include <math.h>

#include "analyzer/stats/proportion.h"

#define FLIPS_ALPHA 0.025 /* one-sided */
#define POINTS 8          /* points of a bin at which the chance is computed */

double flip_chance(double gap, double sigma)
{
	return sigma > 0 ? 0.5 * erfc(gap / sigma * M_SQRT1_2) : 0;
}

/* The mean chance over a bin; assumes that gaps are evenly spread within the bin. */
static double chance_in(size_t bin, double sigma)
{
	double low = log_histogram_low(bin), high = log_histogram_low(bin + 1), sum = 0;
	if (bin == 0 || isinf(high)) {
		return flip_chance(low, sigma);
	}
	for (size_t i = 0; i < POINTS; i++) {
		sum += flip_chance(low + (high - low) * ((double)i + 0.5) / POINTS, sigma);
	}
	return sum / POINTS;
}

double flips_expected(const struct log_histogram *gaps, double sigma)
{
	double sum = 0;
	if (log_histogram_count(gaps) == 0 || isnan(sigma)) {
		return NAN;
	}
	for (size_t i = 0; i < LOG_HISTOGRAM_BINS; i++) {
		if (gaps->n[i] > 0) {
			sum += (double)gaps->n[i] * chance_in(i, sigma);
		}
	}
	return sum;
}

enum flips_verdict flips_judge(double expected, uint64_t observed, uint64_t positions)
{
	double most = 2 * expected, n = (double)positions;
	if ((double)observed <= most) {
		return FLIPS_NOISE;
	}
	double p = proportion_binomial_above((double)observed, n, most / n);
	return p < FLIPS_ALPHA ? FLIPS_MORE : FLIPS_UNCERTAIN;
}
