#include "analyzer/stats/clusters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/stats/clusters_inside.h"
#include "analyzer/stats/distribution.h"
#include "base/check.h"
#include "base/mem.h"
#include "base/rng.h"

#define SEED 0x706c756d62u

double clusters_jackknife(const struct ratio *own, const struct ratio *total)
{
	double left = total->whole - own->whole;
	return left > 0 ? (own->part - total->part / total->whole * own->whole) / left : 0;
}

/*
 * How a cluster's contribution to the variance grows with its size w: a w + b w^2. Independent
 * answers give only a, identical ones only b. Both are fitted to the clusters by least squares.
 */
struct growth {
	double a, b; /* at least 0, not both 0 */
};

static struct growth growth_of(const struct clusters *c, size_t figure, const struct ratio *total)
{
	double n = 0, w = 0, y = 0, ww = 0, wy = 0, rate = total->part / total->whole;
	for (uint32_t row = 0; row < c->n; row++) {
		struct ratio r = clusters_at(c, row, figure);
		if (r.whole > 0) {
			double off = r.part - rate * r.whole, each = off * off / r.whole;
			n++;
			w += r.whole;
			y += each;
			ww += r.whole * r.whole;
			wy += r.whole * each;
		}
	}
	double spread = n * ww - w * w, b = spread > 0 ? (n * wy - w * y) / spread : 0;
	b = fmax(0, b);
	double a = fmax(0, (y - b * w) / n);
	return a + b > 0 ? (struct growth){a, b} : (struct growth){1, 0};
}

double clusters_variance_of_one(const struct clusters *c, size_t figure, const struct ratio *total)
{
	struct growth g = growth_of(c, figure, total);
	return g.a + g.b;
}

/*
 * The effective degrees of freedom: the number of equally large clusters that would determine the
 * variance as well, minus one: (sum of shares)^2 / sum of their squares (Satterthwaite 1946; for
 * sizes alone, Kish 1965). A few large sessions give few degrees of freedom, however many small
 * ones there are; the more correlated their answers, the fewer.
 */
static double freedom_of(const struct clusters *c, size_t figure, const struct ratio *total)
{
	struct growth g = growth_of(c, figure, total);
	double sum = 0, squares = 0;
	for (uint32_t row = 0; row < c->n; row++) {
		double w = clusters_at(c, row, figure).whole, share = g.a * w + g.b * w * w;
		sum += share;
		squares += share * share;
	}
	return fmax(1, sum * sum / squares - 1);
}

/* The standard error by the delete-one jackknife. */
static double error_of(const struct clusters *c, const struct term *terms,
        const struct ratio *totals, size_t n, double m)
{
	double squares = 0;
	for (uint32_t row = 0; row < c->n; row++) {
		double d = 0;
		for (size_t i = 0; i < n; i++) {
			struct ratio own = clusters_at(c, row, terms[i].figure);
			d += terms[i].weight * clusters_jackknife(&own, &totals[i]);
		}
		squares += d * d;
	}
	return sqrt(squares * (m - 1) / m);
}

bool clusters_begin(
        const struct clusters *c, const struct term *terms, size_t n, struct estimate *ret)
{
	struct ratio totals[CLUSTERS_TERMS];
	expect(n <= CLUSTERS_TERMS);
	*ret = (struct estimate){.value = n ? 0 : NAN,
	        .ci = {NAN, NAN},
	        .error = NAN,
	        .freedom = NAN,
	        .effective_n = NAN};
	for (size_t i = 0; i < n; i++) {
		totals[i] = clusters_total(c, terms[i].figure);
		ret->value += totals[i].whole > 0
		                      ? terms[i].weight * totals[i].part / totals[i].whole
		                      : NAN;
	}
	ret->clusters = c && n ? clusters_having(c, terms[0].figure) : 0;
	if (isnan(ret->value) || ret->clusters < 2) {
		return false;
	}
	ret->error = error_of(c, terms, totals, n, (double)ret->clusters);
	ret->freedom = freedom_of(c, terms[0].figure, &totals[0]);
	return true;
}

/* Returns Student's quantile; NaN if there are no data to estimate from. */
static double estimate_linear(
        const struct clusters *c, const struct term *terms, size_t n, struct estimate *ret)
{
	if (!clusters_begin(c, terms, n, ret)) {
		return NAN;
	}
	double t = distribution_student_quantile(1 - CLUSTERS_ALPHA / 2, ret->freedom);
	double reach = ret->error * t;
	ret->ci = (struct interval){ret->value - reach, ret->value + reach};
	return t;
}

void clusters_estimate_linear(
        const struct clusters *c, const struct term *terms, size_t n, struct estimate *ret)
{
	(void)estimate_linear(c, terms, n, ret);
}

/*
 * The central interval of the draws. With few clusters it would be too narrow: draws vary less than
 * captures do, by (m - 1) / m, and like a normal distribution. So a larger part of the draws is
 * taken (Hesterberg 2015, the expanded percentile interval). If clusters are skewed, this interval
 * is too short on their short side, and Student's interval, e->ci, on their long side; the result
 * contains both. t: the quantile of Student's interval.
 */
static struct interval middle_of(double *values, size_t n, const struct estimate *e, double t)
{
	if (n < 2) {
		return (struct interval){NAN, NAN};
	}
	double reach = sqrt((e->freedom + 1) / e->freedom) * t;
	double tail = distribution_normal_below(-reach);
	stats_sort(values, n);
	double low = tail * (double)(n - 1), high = (1 - tail) * (double)(n - 1);
	return (struct interval){fmin(values[(size_t)floor(low)], e->ci.low),
	        fmax(values[(size_t)ceil(high)], e->ci.high)};
}

/* The ratios of all terms, a row for each cluster. */
struct table {
	size_t rows, width;
	struct ratio *items;
};

static struct table table_make(const struct clusters *c, const struct terms *of, size_t n)
{
	struct table t = {.rows = c->n};
	for (size_t i = 0; i < n; i++) {
		t.width += of[i].n;
	}
	t.items = xcalloc(t.rows * t.width + 1, sizeof(*t.items));
	struct ratio *to = t.items;
	for (uint32_t row = 0; row < c->n; row++) {
		for (size_t i = 0; i < n; i++) {
			for (size_t k = 0; k < of[i].n; k++) {
				*to++ = clusters_at(c, row, of[i].items[k].figure);
			}
		}
	}
	return t;
}

/*
 * Makes one draw: as many rows as there are, with replacement. Rows are sorted by the hashes of
 * their keys, so that draws depend on nothing else. counts: room for one number a row.
 */
static void draw(const struct table *t, struct rng *rng, uint32_t *counts, struct ratio *sums)
{
	memset(counts, 0, t->rows * sizeof(*counts));
	memset(sums, 0, t->width * sizeof(*sums));
	for (size_t i = 0; i < t->rows; i++) {
		counts[rng_below(rng, t->rows)]++;
	}
	for (size_t row = 0; row < t->rows; row++) {
		const struct ratio *r = t->items + row * t->width;
		for (size_t k = 0; counts[row] && k < t->width; k++) {
			sums[k].part += counts[row] * r[k].part;
			sums[k].whole += counts[row] * r[k].whole;
		}
	}
}

/* Returns NaN if a ratio's denominator is 0 in this draw. */
static double weigh(const struct ratio *sums, const struct terms *of)
{
	double value = 0;
	for (size_t i = 0; i < of->n; i++) {
		value += sums[i].whole > 0 ? of->items[i].weight * sums[i].part / sums[i].whole
		                           : NAN;
	}
	return value;
}

/* values: CLUSTERS_RESAMPLES values for each of the n sums of terms. */
static void draw_all(const struct clusters *c, const struct terms *of, size_t n, double *values)
{
	struct table t = table_make(c, of, n);
	struct ratio *sums = xcalloc(t.width + 1, sizeof(*sums));
	uint32_t *counts = xcalloc(t.rows + 1, sizeof(*counts));
	struct rng rng = {SEED};
	for (size_t i = 0; i < CLUSTERS_RESAMPLES; i++) {
		const struct ratio *own = sums;
		draw(&t, &rng, counts, sums);
		for (size_t k = 0; k < n; own += of[k++].n) {
			values[k * CLUSTERS_RESAMPLES + i] = weigh(own, &of[k]);
		}
	}
	free(counts);
	free(sums);
	free(t.items);
}

/* Moves the values that are not NaN to the front and returns their number. */
static size_t keep_numbers(double *values, size_t n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		if (!isnan(values[i])) {
			values[kept++] = values[i];
		}
	}
	return kept;
}

static void draw_intervals(const struct clusters *c, const struct terms *of, size_t n,
        const double *quantiles, struct estimate *ret)
{
	double *values = xcalloc(n * CLUSTERS_RESAMPLES, sizeof(*values));
	draw_all(c, of, n, values);
	for (size_t t = 0; t < n; t++) {
		if (!isnan(ret[t].error)) {
			double *own = values + t * CLUSTERS_RESAMPLES;
			size_t kept = keep_numbers(own, CLUSTERS_RESAMPLES);
			ret[t].ci = middle_of(own, kept, &ret[t], quantiles[t]);
		}
	}
	free(values);
}

void clusters_estimate_all(
        const struct clusters *c, const struct terms *of, size_t n, struct estimate *ret)
{
	bool known = false;
	double *quantiles = xcalloc(n + 1, sizeof(*quantiles));
	for (size_t t = 0; t < n; t++) {
		quantiles[t] = estimate_linear(c, of[t].items, of[t].n, &ret[t]);
		known |= !isnan(ret[t].error);
	}
	if (known && c->n <= CLUSTERS_BOOTSTRAP_LIMIT && !clusters_are_grouped(c)) {
		draw_intervals(c, of, n, quantiles, ret);
	}
	free(quantiles);
}

void clusters_estimate_each(const struct clusters *c, size_t n, struct estimate *ret)
{
	struct term *terms = xcalloc(n, sizeof(*terms));
	struct terms *of = xcalloc(n, sizeof(*of));
	for (size_t f = 0; f < n; f++) {
		terms[f] = (struct term){f, 1};
		of[f] = (struct terms){&terms[f], 1};
	}
	clusters_estimate_all(c, of, n, ret);
	free(terms);
	free(of);
}
