#include "analyzer/firsts.h"

#include <math.h>

#define SHIFT_UNIT 0x1p-20 /* nats */

void firsts_add(struct firsts *f, const struct first *first)
{
	if (isnan(first->shift)) {
		f->unknown++;
	} else if (first->p_censored || first->r_censored) {
		f->foreign++;
	} else {
		double units = fmin(fmax(first->shift, 0) / SHIFT_UNIT, (double)HISTOGRAM_LIMIT);
		histogram_add(&f->shifts, (uint64_t)units);
	}
}

void firsts_merge(struct firsts *f, const struct firsts *other)
{
	histogram_merge(&f->shifts, &other->shifts);
	f->foreign += other->foreign;
	f->unknown += other->unknown;
}

void firsts_finish(struct firsts *f)
{
	histogram_finish(&f->shifts);
	*f = (struct firsts){0};
}

uint64_t firsts_total(const struct firsts *f)
{
	return f->shifts.n + f->foreign + f->unknown;
}

/*
 * The largest shift that noise explains, by Benjamini and Hochberg over all shifts. The p value of a
 * shift is the share of the floor's shifts that are as large, itself included.
 */
static double threshold_of(const struct histogram *shifts, const struct histogram *floor)
{
	struct histogram_bin shift = {0}, noise = {0};
	uint64_t left = shifts->n, as_large = floor->n; /* shifts from this bin on */
	bool has_noise = histogram_next(floor, &noise);
	while (histogram_next(shifts, &shift)) {
		for (; has_noise && noise.low < shift.low;
		        has_noise = histogram_next(floor, &noise)) {
			as_large -= noise.n;
		}
		double p = (double)(1 + as_large) / (double)(1 + floor->n);
		if (p <= FIRSTS_DISCOVERY * (double)left / (double)shifts->n) {
			return nextafter((double)shift.low * SHIFT_UNIT, -INFINITY);
		}
		left -= shift.n;
	}
	return INFINITY;
}

void firsts_judge(const struct firsts *f, double sigma, const struct firsts *floor,
        struct firsts_verdict *ret)
{
	*ret = (struct firsts_verdict){.threshold = NAN, .floor_n = floor ? floor->shifts.n : 0};
	if (ret->floor_n >= FIRST_FLOOR_LEAST) {
		ret->threshold = threshold_of(&f->shifts, &floor->shifts);
	}
	struct first_scale scale = {sigma, ret->threshold};
	struct histogram_bin bin = {0};
	while (histogram_next(&f->shifts, &bin)) {
		struct first first = {.shift = (double)bin.low * SHIFT_UNIT};
		ret->n[first_judge(&first, &scale)] += bin.n;
	}
	ret->n[FIRST_FOREIGN] += f->foreign;
	ret->n[FIRST_UNKNOWN] += f->unknown;
}
