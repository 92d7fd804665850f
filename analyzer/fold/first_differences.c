#include "analyzer/fold/first_differences.h"

#include <math.h>

#define SHIFT_UNIT 0x1p-20 /* nats */

void first_differences_add(struct first_differences *f, const struct first *first)
{
	if (isnan(first->shift)) {
		f->unknown++;
	} else if (first->test_censored || first->base_censored) {
		f->foreign++;
	} else {
		double units = fmin(fmax(first->shift, 0) / SHIFT_UNIT, (double)HISTOGRAM_LIMIT);
		histogram_add(&f->shifts, (uint64_t)units);
	}
}

void first_differences_finish(struct first_differences *f)
{
	histogram_finish(&f->shifts);
	*f = (struct first_differences){0};
}

uint64_t first_differences_total(const struct first_differences *f)
{
	return f->shifts.n + f->foreign + f->unknown;
}

/*
 * The largest shift that noise explains, by the procedure of Benjamini and Hochberg over all
 * shifts. The p value of a shift is the share of shifts, among those of the floor and itself, that
 * are at least as large.
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
		if (p <= FIRST_DIFFERENCES_DISCOVERY * (double)left / (double)shifts->n) {
			return nextafter((double)shift.low * SHIFT_UNIT, -INFINITY);
		}
		left -= shift.n;
	}
	return INFINITY;
}

void first_differences_judge(const struct first_differences *f, double sigma,
        const struct first_differences *floor, struct first_differences_verdict *ret)
{
	*ret = (struct first_differences_verdict){
	        .threshold = NAN, .floor_n = floor ? floor->shifts.n : 0};
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
