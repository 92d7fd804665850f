#include "analyzer/stats/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/check.h"

void moments_add(struct moments *m, double value)
{
	m->n++;
	exact_sum_add(&m->sum, value, &m->losses);
	exact_sum_add(&m->squares, value * value, &m->losses);
}

void moments_merge(struct moments *m, const struct moments *other)
{
	m->n += other->n;
	exact_sum_merge(&m->sum, &other->sum);
	exact_sum_merge(&m->squares, &other->squares);
	exact_losses_merge(&m->losses, &other->losses);
}

static double mean_of(const struct moments *m, const struct exact_sum *sum)
{
	bool known = m->n > 0 && m->losses.not_finite == 0;
	return known ? exact_sum_value(sum) / (double)m->n : NAN;
}

double moments_mean(const struct moments *m)
{
	return mean_of(m, &m->sum);
}

double moments_rms(const struct moments *m)
{
	return sqrt(mean_of(m, &m->squares));
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

void stats_sort(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), compare);
}
