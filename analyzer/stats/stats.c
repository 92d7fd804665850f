#include "analyzer/stats/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/stats/distribution.h"
#include "base/check.h"

static void add(struct moments *m, struct exact_sum *to, double value)
{
	exact_sum_add(to, value);
	m->not_finite += !isfinite(value);
	m->saturated += isfinite(value) && fabs(value) > EXACT_SUM_LIMIT;
}

void moments_add_sums(struct moments *m, uint64_t n, double sum, double squares)
{
	m->n += n;
	add(m, &m->sum, sum);
	add(m, &m->squares, squares);
}

void moments_add(struct moments *m, double value)
{
	moments_add_sums(m, 1, value, value * value);
}

void moments_merge(struct moments *m, const struct moments *other)
{
	m->n += other->n;
	exact_sum_merge(&m->sum, &other->sum);
	exact_sum_merge(&m->squares, &other->squares);
	m->saturated += other->saturated;
	m->not_finite += other->not_finite;
}

static double mean_of(const struct moments *m, const struct exact_sum *sum)
{
	bool known = m->n > 0 && m->not_finite == 0;
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

double moments_variance(const struct moments *m)
{
	double mean = moments_mean(m), n = (double)m->n;
	double spread = mean_of(m, &m->squares) - mean * mean;
	return m->n < 2 ? NAN : (spread < 0 ? 0 : spread) * n / (n - 1);
}

struct interval moments_difference(const struct moments *a, const struct moments *b)
{
	double of_a = moments_variance(a) / (double)a->n, of_b = moments_variance(b) / (double)b->n;
	double both = of_a + of_b, difference = moments_mean(a) - moments_mean(b);
	if (isnan(both) || both <= 0) {
		return (struct interval){difference + both, difference + both};
	}
	double freedom =
	        both * both / (of_a * of_a / (double)(a->n - 1) + of_b * of_b / (double)(b->n - 1));
	double reach = distribution_student_quantile(0.975, freedom) * sqrt(both);
	return (struct interval){difference - reach, difference + reach};
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
