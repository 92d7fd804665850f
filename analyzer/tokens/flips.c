#include "analyzer/tokens/flips.h"

#include <math.h>
#include <stddef.h>

#include "analyzer/tokens/first.h"
#include "analyzer/tokens/logs.h"
#include "base/check.h"

#define OCTAVE 32        /* bins */
#define LEAST_LOG2 (-18) /* of the first bin, nats: what is below goes there */
#define AT_ONCE 64
#define SLIGHTLY                                                                                   \
	1e-9 /* of a bin: more than a log is off by, so that a power of two begins its bin */

/* at: in bins from the first. */
static int bin_at(double at)
{
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
		f->bins[bin_at((log2(gap) - LEAST_LOG2) * OCTAVE)]++;
	}
}

void flips_add_all(struct flips *f, const double *gaps, size_t n)
{
	double logs[AT_ONCE];
	for (size_t from = 0; from < n; from += AT_ONCE) {
		size_t here = MIN(n - from, (size_t)AT_ONCE);
		logs_log(gaps + from, logs, here);
		for (size_t i = 0; i < here; i++) {
			double gap = gaps[from + i];
			f->positions += gap == gap;
			f->ties += gap <= 0;
			if (gap > 0) {
				double at = (logs[i] * M_LOG2E - LEAST_LOG2) * OCTAVE;
				f->bins[bin_at(at + SLIGHTLY)]++;
			}
		}
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
