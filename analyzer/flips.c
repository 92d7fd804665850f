#include "analyzer/flips.h"

#include <math.h>

#include "analyzer/first.h"

#define OCTAVE 32     /* bins */
#define LEAST 0x1p-18 /* nats: the first bin; what is below goes there */

static int bin_of(double gap)
{
	double at = floor((log2(gap) - log2(LEAST)) * OCTAVE);
	return at < 0 ? 0 : at >= FLIPS_BINS ? FLIPS_BINS - 1 : (int)at;
}

void flips_add(struct flips *f, double gap)
{
	if (isnan(gap)) {
		return;
	}
	f->positions++;
	if (gap <= 0) {
		f->ties++;
	} else {
		f->bins[bin_of(gap)]++;
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
			double middle = LEAST * exp2((i + 0.5) / OCTAVE);
			sum += (double)f->bins[i] * first_flip_chance(middle, sigma);
		}
	}
	return sum;
}
