#include "analyzer/firsts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void push(struct firsts *f, double shift)
{
	if (f->n == f->cap) {
		f->cap = f->cap ? 2 * f->cap : 16;
		f->shifts = xrealloc(f->shifts, f->cap * sizeof(*f->shifts));
	}
	f->shifts[f->n++] = shift;
}

void firsts_add(struct firsts *f, const struct first *first)
{
	if (isnan(first->shift)) {
		f->unknown++;
	} else if (first->p_censored || first->r_censored) {
		f->foreign++;
	} else {
		push(f, first->shift);
	}
}

void firsts_merge(struct firsts *f, const struct firsts *other)
{
	for (size_t i = 0; i < other->n; i++) {
		push(f, other->shifts[i]);
	}
	f->foreign += other->foreign;
	f->unknown += other->unknown;
}

void firsts_finish(struct firsts *f)
{
	free(f->shifts);
	*f = (struct firsts){0};
}

uint64_t firsts_total(const struct firsts *f)
{
	return f->n + f->foreign + f->unknown;
}

static int by_falling(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x < y) - (x > y);
}

/*
 * The largest shift that noise explains, by Benjamini and Hochberg over all shifts, largest first.
 * The p value of a shift is the share of the floor's shifts that are as large, itself included. Both
 * are sorted.
 */
static double threshold_of(const struct firsts *f, const double *floor, size_t n_floor)
{
	size_t above = 0, found = 0;
	for (size_t i = 0; i < f->n; i++) {
		while (above < n_floor && floor[above] >= f->shifts[i]) {
			above++;
		}
		double p = (double)(1 + above) / (double)(1 + n_floor);
		if (p <= FIRSTS_DISCOVERY * (double)(i + 1) / (double)f->n) {
			found = i + 1;
		}
	}
	return found == 0 ? INFINITY : nextafter(f->shifts[found - 1], -INFINITY);
}

void firsts_judge(
        struct firsts *f, double sigma, const struct firsts *floor, struct firsts_verdict *ret)
{
	*ret = (struct firsts_verdict){.threshold = NAN, .floor_n = floor ? floor->n : 0};
	if (f->n > 0) {
		qsort(f->shifts, f->n, sizeof(*f->shifts), by_falling);
	}
	if (floor && floor->n >= FIRST_FLOOR_LEAST) {
		double *sorted = xcalloc(floor->n, sizeof(*sorted));
		memcpy(sorted, floor->shifts, floor->n * sizeof(*sorted));
		qsort(sorted, floor->n, sizeof(*sorted), by_falling);
		ret->threshold = threshold_of(f, sorted, floor->n);
		free(sorted);
	}
	struct first_scale scale = {sigma, ret->threshold};
	for (size_t i = 0; i < f->n; i++) {
		struct first first = {.shift = f->shifts[i]};
		ret->n[first_judge(&first, &scale)]++;
	}
	ret->n[FIRST_FOREIGN] += f->foreign;
	ret->n[FIRST_UNKNOWN] += f->unknown;
}
