#include "analyzer/clusters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/clusters_inside.h"
#include "analyzer/testing.h"
#include "base/check.h"
#include "base/mem.h"

#define SEED 0x706c756d62u

double clusters_jackknife(const struct ratio *own, const struct ratio *total)
{
	double left = total->whole - own->whole;
	return left > 0 ? (own->part - total->part / total->whole * own->whole) / left : 0;
}

/*
 * How many clusters of one size would say as much: (sum of sizes)^2 / sum of squares of sizes (Kish 1965),
 * less one. A few large sessions are few degrees of freedom, however many small ones there are.
 */
static double freedom_of(const struct clusters *c, size_t figure, double whole)
{
	double squares = 0;
	for (uint32_t row = 0; row < c->n; row++) {
		double size = clusters_sums(c, row, figure)->whole;
		squares += size * size;
	}
	return fmax(1, whole * whole / squares - 1);
}

static size_t having(const struct clusters *c, size_t figure)
{
	size_t n = 0;
	for (uint32_t row = 0; row < c->n; row++) {
		n += clusters_sums(c, row, figure)->whole > 0;
	}
	return n;
}

/* By the delete-one jackknife. */
static double error_of(const struct clusters *c, const struct term *terms,
        const struct ratio *totals, size_t n, double m)
{
	double squares = 0;
	for (uint32_t row = 0; row < c->n; row++) {
		double d = 0;
		for (size_t i = 0; i < n; i++) {
			d += terms[i].weight *
			     clusters_jackknife(clusters_sums(c, row, terms[i].figure), &totals[i]);
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
	*ret = (struct estimate){
	        .value = n ? 0 : NAN, .ci = {NAN, NAN}, .error = NAN, .freedom = NAN};
	for (size_t i = 0; i < n; i++) {
		totals[i] = clusters_total_of(c, terms[i].figure);
		ret->value += totals[i].whole > 0
		                      ? terms[i].weight * totals[i].part / totals[i].whole
		                      : NAN;
	}
	ret->clusters = n ? having(c, terms[0].figure) : 0;
	if (isnan(ret->value) || ret->clusters < 2) {
		return false;
	}
	ret->error = error_of(c, terms, totals, n, (double)ret->clusters);
	ret->freedom = freedom_of(c, terms[0].figure, totals[0].whole);
	return true;
}

void clusters_estimate_linear(
        const struct clusters *c, const struct term *terms, size_t n, struct estimate *ret)
{
	if (clusters_begin(c, terms, n, ret)) {
		double reach =
		        ret->error * testing_student_quantile(1 - CLUSTERS_ALPHA / 2, ret->freedom);
		ret->ci = (struct interval){ret->value - reach, ret->value + reach};
	}
}

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static int by_number(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/*
 * The middle of the draws. Of few clusters it is too narrow, for draws vary less than captures do, by
 * (m - 1) / m, and like a normal distribution; so more of the draws are taken (Hesterberg 2015, the
 * expanded percentile interval). Where clusters are skewed it is too short on their short side, and
 * Student's interval, e->ci, on their long side: it holds both.
 */
static struct interval middle_of(double *values, size_t n, const struct estimate *e)
{
	if (n < 2) {
		return (struct interval){NAN, NAN};
	}
	double reach = sqrt((e->freedom + 1) / e->freedom) *
	               testing_student_quantile(1 - CLUSTERS_ALPHA / 2, e->freedom);
	double tail = testing_normal_below(-reach);
	qsort(values, n, sizeof(*values), by_number);
	double low = tail * (double)(n - 1), high = (1 - tail) * (double)(n - 1);
	return (struct interval){fmin(values[(size_t)floor(low)], e->ci.low),
	        fmax(values[(size_t)ceil(high)], e->ci.high)};
}

static double weigh(const struct ratio *sums, const struct terms *of)
{
	double value = 0;
	for (size_t i = 0; i < of->n; i++) {
		const struct ratio *r = &sums[of->items[i].figure];
		value += r->whole > 0 ? of->items[i].weight * r->part / r->whole : NAN;
	}
	return value;
}

/* Doubles that are summed up at a time, in registers. */
#define LANE 16

/* The figures that anything was added to, row by row, for sums over rows that are drawn. */
struct urn {
	size_t n_used, lanes;
	size_t *used;   /* figures */
	double *rows;   /* lanes * LANE each: part and whole of each, then zeros */
	uint32_t *draw; /* rows */
};

static bool is_used(const struct clusters *c, size_t figure)
{
	for (uint32_t row = 0; row < c->n; row++) {
		const struct ratio *r = clusters_sums(c, row, figure);
		if (r->part != 0 || r->whole != 0) {
			return true;
		}
	}
	return false;
}

static void urn_fill(struct urn *u, const struct clusters *c)
{
	u->used = xcalloc(c->n_figures + 1, sizeof(*u->used));
	u->n_used = 0;
	for (size_t f = 0; f < c->n_figures; f++) {
		if (is_used(c, f)) {
			u->used[u->n_used++] = f;
		}
	}
	u->lanes = (2 * u->n_used + LANE - 1) / LANE;
	u->rows = xcalloc(c->n * u->lanes * LANE + 1, sizeof(*u->rows));
	u->draw = xcalloc(c->n, sizeof(*u->draw));
	for (uint32_t row = 0; row < c->n; row++) {
		double *to = u->rows + row * u->lanes * LANE;
		for (size_t i = 0; i < u->n_used; i++) {
			const struct ratio *r = clusters_sums(c, row, u->used[i]);
			*to++ = r->part;
			*to++ = r->whole;
		}
	}
}

static void urn_empty(struct urn *u)
{
	free(u->used);
	free(u->rows);
	free(u->draw);
}

/* The rows' sums in the order in which they were drawn; the figures without any stay as they are. */
static void urn_sum(const struct urn *u, uint32_t n, struct ratio *sums)
{
	for (size_t lane = 0; lane < u->lanes; lane++) {
		double total[LANE] = {0};
		for (uint32_t k = 0; k < n; k++) {
			/* As malloc() aligns. */
			const double *row = __builtin_assume_aligned(
			        u->rows + (u->draw[k] * u->lanes + lane) * LANE, 16);
			for (size_t i = 0; i < LANE; i++) {
				total[i] += row[i];
			}
		}
		for (size_t i = 0; i < LANE / 2 && lane * LANE / 2 + i < u->n_used; i++) {
			struct ratio *to = &sums[u->used[lane * LANE / 2 + i]];
			*to = (struct ratio){total[2 * i], total[2 * i + 1]};
		}
	}
}

/* values: CLUSTERS_DRAWS for each of n. */
static void draw_all(const struct clusters *c, const struct terms *of, size_t n, double *values)
{
	struct ratio *sums = xcalloc(c->n_figures + 1, sizeof(*sums));
	struct urn urn;
	uint64_t random = SEED;
	urn_fill(&urn, c);
	for (size_t i = 0; i < CLUSTERS_DRAWS; i++) {
		for (uint32_t k = 0; k < c->n; k++) {
			urn.draw[k] = (uint32_t)(((next_random(&random) >> 32) * c->n) >> 32);
		}
		urn_sum(&urn, c->n, sums);
		for (size_t t = 0; t < n; t++) {
			values[t * CLUSTERS_DRAWS + i] = weigh(sums, &of[t]);
		}
	}
	urn_empty(&urn);
	free(sums);
}

/* Those that are numbers come to the front; their number. */
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

void clusters_estimate_all(
        const struct clusters *c, const struct terms *of, size_t n, struct estimate *ret)
{
	bool drawn = c->n <= CLUSTERS_DRAWN && c->n > 1 && !c->folded;
	double *values = drawn ? xcalloc(n * CLUSTERS_DRAWS, sizeof(*values)) : NULL;
	if (drawn) {
		draw_all(c, of, n, values);
	}
	for (size_t t = 0; t < n; t++) {
		clusters_estimate_linear(c, of[t].items, of[t].n, &ret[t]);
		if (drawn && !isnan(ret[t].error)) {
			double *own = values + t * CLUSTERS_DRAWS;
			size_t kept = keep_numbers(own, CLUSTERS_DRAWS);
			ret[t].ci = middle_of(own, kept, &ret[t]);
		}
	}
	free(values);
}

void clusters_estimate(
        const struct clusters *c, const struct term *terms, size_t n, struct estimate *ret)
{
	const struct terms of = {terms, n};
	clusters_estimate_all(c, &of, 1, ret);
}

void clusters_estimate_each(const struct clusters *c, struct estimate *ret)
{
	struct term *terms = xcalloc(c->n_figures, sizeof(*terms));
	struct terms *of = xcalloc(c->n_figures, sizeof(*of));
	for (size_t f = 0; f < c->n_figures; f++) {
		terms[f] = (struct term){f, 1};
		of[f] = (struct terms){&terms[f], 1};
	}
	clusters_estimate_all(c, of, c->n_figures, ret);
	free(terms);
	free(of);
}
