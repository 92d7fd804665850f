#include "analyzer/stats/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/check.h"

#define Z95 1.959963984540054

struct interval stats_wilson(uint64_t hits, uint64_t n)
{
	if (n == 0) {
		return (struct interval){0, 1};
	}
	double count = (double)n, p = (double)hits / count, z2 = Z95 * Z95;
	double centre = p + z2 / (2 * count);
	double half = Z95 * sqrt(p * (1 - p) / count + z2 / (4 * count * count));
	double scale = 1 + z2 / count;
	return (struct interval){
	        .low = hits == 0 ? 0 : fmax(0, (centre - half) / scale),
	        .high = hits == n ? 1 : fmin(1, (centre + half) / scale),
	};
}

/* P(X <= k) of a Poisson variable, summed from its largest term so that nothing underflows. */
static double poisson_at_most(uint64_t k, double mean)
{
	if (mean <= 0) {
		return 1;
	}
	uint64_t mode = mean < (double)k ? (uint64_t)mean : k;
	double peak = exp((double)mode * log(mean) - mean - lgamma((double)mode + 1));
	double sum = peak, term = peak;
	for (uint64_t i = mode; i > 0 && term > sum * 1e-17; i--) {
		term *= (double)i / mean;
		sum += term;
	}
	term = peak;
	for (uint64_t i = mode + 1; i <= k && term > sum * 1e-17; i++) {
		term *= mean / (double)i;
		sum += term;
	}
	return fmin(sum, 1);
}

/* The mean at which P(X <= k) falls to target; it falls all the way from 1 to 0. */
static double poisson_mean_at(uint64_t k, double target)
{
	double low = 0, high = (double)k + 10 * sqrt((double)k + 1) + 20;
	for (int i = 0; i < 200 && high - low > 1e-12 * high; i++) {
		double middle = (low + high) / 2;
		if (poisson_at_most(k, middle) > target) {
			low = middle;
		} else {
			high = middle;
		}
	}
	return (low + high) / 2;
}

struct interval stats_poisson(uint64_t events)
{
	return (struct interval){
	        .low = events == 0 ? 0 : poisson_mean_at(events - 1, 0.975),
	        .high = poisson_mean_at(events, 0.025),
	};
}

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
