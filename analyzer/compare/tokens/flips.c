#include "analyzer/compare/tokens/flips.h"

#include <math.h>

#include "analyzer/stats/stats.h"
#include "analyzer/compare/tokens/first.h"

#define OCTAVE 32        /* bins */
#define LEAST_LOG2 (-18) /* of the first bin, nats: what is below goes there */

/* Of a positive number. A billionth of a bin is added, so that what rounding took from a power of two
 * does not put it into the bin before. */
static int bin_of(double gap)
{
	double bin = floor((log2(gap) - LEAST_LOG2) * OCTAVE + 1e-9);
	return bin < 0 ? 0 : bin >= FLIPS_BINS ? FLIPS_BINS - 1 : (int)bin;
}

void flips_add(struct flips *f, double gap)
{
	if (isnan(gap)) {
		return;
	}
	f->positions++;
	if (gap > 0) {
		f->bins[bin_of(gap)]++;
	} else {
		f->ties++;
	}
}

void flips_merge(struct flips *f, const struct flips *other)
{
	f->positions += other->positions;
	f->ties += other->ties;
	for (int i = 0; i < FLIPS_BINS; i++) {
		f->bins[i] += other->bins[i];
	}
}

double flips_expected(const struct flips *f, double sigma)
{
	if (f->positions == 0 || isnan(sigma)) {
		return NAN;
	}
	double sum = (double)f->ties * first_flip_chance(0, sigma);
	for (int i = 0; i < FLIPS_BINS; i++) {
		if (f->bins[i] > 0) {
			double middle = ldexp(1, LEAST_LOG2) * exp2((i + 0.5) / OCTAVE);
			sum += (double)f->bins[i] * first_flip_chance(middle, sigma);
		}
	}
	return sum;
}

enum flips_verdict flips_judge(double expected, uint64_t observed)
{
	double most = 2 * expected;
	if ((double)observed <= most) {
		return FLIPS_NOISE;
	}
	return stats_poisson(observed).low > most ? FLIPS_MORE : FLIPS_TOO_FEW;
}
