#include "analyzer/clusters.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/testing.h"
#include "base/check.h"
#include "base/mem.h"

#define SEED 0x706c756d62u
#define EMPTY UINT32_MAX
#define ALPHA 0.05

struct ratio {
	double part, whole;
};

struct clusters {
	size_t n_figures;
	uint32_t n, cap, limit, groups;
	bool folded;        /* rows are groups by hash; keys and slots are gone */
	uint8_t *keys;      /* CLUSTERS_KEY_SIZE each */
	struct ratio *sums; /* n_figures each */
	uint32_t *slots;    /* open addressing by key: rows, or EMPTY */
	size_t n_slots;     /* a power of two */
};

struct clusters *clusters_create_limited(size_t n_figures, uint32_t limit)
{
	expect(limit > 1 && (limit & (limit - 1)) == 0);
	struct clusters *c = xcalloc(1, sizeof(*c));
	c->n_figures = n_figures;
	c->limit = limit;
	c->groups = MIN(limit, (uint32_t)CLUSTERS_GROUPS);
	return c;
}

struct clusters *clusters_create(size_t n_figures)
{
	return clusters_create_limited(n_figures, CLUSTERS_LIMIT);
}

void clusters_destroy(struct clusters *c)
{
	if (!c) {
		return;
	}
	free(c->keys);
	free(c->sums);
	free(c->slots);
	free(c);
}

static const uint8_t *key_of(const struct clusters *c, uint32_t row)
{
	return c->keys + (size_t)row * CLUSTERS_KEY_SIZE;
}

/* Keys are hashes or random ids, but ids of one moment begin alike: their last bytes count. */
static uint32_t hash_of(const uint8_t *key)
{
	uint64_t word;
	memcpy(&word, key + 8, sizeof(word));
	return (uint32_t)(word * 0x9e3779b97f4a7c15u >> 32);
}

static size_t slot_of(const struct clusters *c, const uint8_t *key)
{
	size_t slot = hash_of(key) & (c->n_slots - 1);
	while (c->slots[slot] != EMPTY &&
	        memcmp(key_of(c, c->slots[slot]), key, CLUSTERS_KEY_SIZE) != 0) {
		slot = (slot + 1) & (c->n_slots - 1);
	}
	return slot;
}

static void grow(struct clusters *c)
{
	c->cap = c->cap ? 2 * c->cap : MIN(64, c->limit);
	c->keys = xrealloc(c->keys, (size_t)c->cap * CLUSTERS_KEY_SIZE);
	c->sums = xrealloc(c->sums, c->cap * c->n_figures * sizeof(*c->sums));
	c->n_slots = 2 * (size_t)c->cap;
	c->slots = xrealloc(c->slots, c->n_slots * sizeof(*c->slots));
	memset(c->slots, 0xff, c->n_slots * sizeof(*c->slots));
	for (uint32_t row = 0; row < c->n; row++) {
		c->slots[slot_of(c, key_of(c, row))] = row;
	}
}

static void add_row(struct ratio *to, const struct ratio *from, size_t n)
{
	for (size_t f = 0; f < n; f++) {
		to[f].part += from[f].part;
		to[f].whole += from[f].whole;
	}
}

static void fold(struct clusters *c)
{
	struct ratio *groups = xcalloc(c->groups * c->n_figures, sizeof(*groups));
	for (uint32_t row = 0; row < c->n; row++) {
		uint32_t group = hash_of(key_of(c, row)) & (c->groups - 1);
		add_row(groups + group * c->n_figures, c->sums + row * c->n_figures, c->n_figures);
	}
	free(c->sums);
	free(c->keys);
	free(c->slots);
	c->sums = groups;
	c->keys = NULL;
	c->slots = NULL;
	c->n = c->cap = c->groups;
	c->folded = true;
}

uint32_t clusters_row(struct clusters *c, const uint8_t key[CLUSTERS_KEY_SIZE])
{
	if (c->folded) {
		return hash_of(key) & (c->groups - 1);
	}
	if (c->n == c->cap && c->cap < c->limit) {
		grow(c);
	}
	size_t slot = slot_of(c, key);
	if (c->slots[slot] != EMPTY) {
		return c->slots[slot];
	}
	if (c->n == c->limit) {
		fold(c);
		return clusters_row(c, key);
	}
	c->slots[slot] = c->n;
	memcpy(c->keys + (size_t)c->n * CLUSTERS_KEY_SIZE, key, CLUSTERS_KEY_SIZE);
	memset(c->sums + c->n * c->n_figures, 0, c->n_figures * sizeof(*c->sums));
	return c->n++;
}

bool clusters_are_folded(const struct clusters *c)
{
	return c->folded;
}

void clusters_add(struct clusters *c, uint32_t row, size_t figure, double part, double whole)
{
	expect(row < c->n && figure < c->n_figures);
	struct ratio *r = &c->sums[row * c->n_figures + figure];
	r->part += part;
	r->whole += whole;
}

void clusters_merge(struct clusters *c, const struct clusters *other)
{
	expect(c->n_figures == other->n_figures && c->limit == other->limit);
	if (other->folded && !c->folded) {
		fold(c);
	}
	for (uint32_t from = 0; from < other->n; from++) {
		uint32_t row = other->folded ? from : clusters_row(c, key_of(other, from));
		add_row(c->sums + row * c->n_figures, other->sums + from * c->n_figures,
		        c->n_figures);
	}
}

static const struct ratio *sums_of(const struct clusters *c, uint32_t row, size_t figure)
{
	return &c->sums[row * c->n_figures + figure];
}

static struct ratio total_of(const struct clusters *c, size_t figure)
{
	struct ratio total = {0};
	for (uint32_t row = 0; row < c->n; row++) {
		total.part += sums_of(c, row, figure)->part;
		total.whole += sums_of(c, row, figure)->whole;
	}
	return total;
}

void clusters_total(const struct clusters *c, size_t figure, double *ret_part, double *ret_whole)
{
	struct ratio total = total_of(c, figure);
	*ret_part = total.part;
	*ret_whole = total.whole;
}

static size_t having(const struct clusters *c, size_t figure)
{
	size_t n = 0;
	for (uint32_t row = 0; row < c->n; row++) {
		n += sums_of(c, row, figure)->whole > 0;
	}
	return n;
}

/* What a cluster adds to the error of the estimate, to first order. */
static double influence(const struct clusters *c, uint32_t row, const struct term *terms,
        const struct ratio *totals, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++) {
		const struct ratio *r = sums_of(c, row, terms[i].figure);
		double rate = totals[i].part / totals[i].whole;
		sum += terms[i].weight * (r->part - rate * r->whole) / totals[i].whole;
	}
	return sum;
}

/* Value, error and number of clusters; false: nothing to estimate from. *ret_totals: the caller
 * frees them. */
static bool begin(const struct clusters *c, const struct term *terms, size_t n,
        struct estimate *ret, struct ratio **ret_totals)
{
	struct ratio *totals = xcalloc(n + 1, sizeof(*totals));
	*ret = (struct estimate){.value = 0, .ci = {NAN, NAN}, .error = NAN};
	*ret_totals = totals;
	for (size_t i = 0; i < n; i++) {
		totals[i] = total_of(c, terms[i].figure);
		ret->value += totals[i].whole > 0
		                      ? terms[i].weight * totals[i].part / totals[i].whole
		                      : NAN;
	}
	ret->clusters = n ? having(c, terms[0].figure) : 0;
	if (isnan(ret->value) || ret->clusters < 2) {
		return false;
	}
	double squares = 0, m = (double)ret->clusters;
	for (uint32_t row = 0; row < c->n; row++) {
		double d = influence(c, row, terms, totals, n);
		squares += d * d;
	}
	ret->error = sqrt(squares * m / (m - 1));
	return true;
}

void clusters_estimate_linear(
        const struct clusters *c, const struct term *terms, size_t n, struct estimate *ret)
{
	struct ratio *totals;
	if (begin(c, terms, n, ret, &totals)) {
		double reach = testing_normal_quantile(1 - ALPHA / 2) * ret->error;
		ret->ci = (struct interval){ret->value - reach, ret->value + reach};
	}
	free(totals);
}

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* The estimate of one draw of as many clusters as there are; NaN: it drew nothing below a ratio. */
static double draw(const struct clusters *c, const struct term *terms, size_t n, uint64_t *random,
        struct ratio *sums)
{
	memset(sums, 0, n * sizeof(*sums));
	for (uint32_t k = 0; k < c->n; k++) {
		uint32_t row = (uint32_t)(((next_random(random) >> 32) * c->n) >> 32);
		for (size_t i = 0; i < n; i++) {
			const struct ratio *r = sums_of(c, row, terms[i].figure);
			sums[i].part += r->part;
			sums[i].whole += r->whole;
		}
	}
	double value = 0;
	for (size_t i = 0; i < n; i++) {
		value += sums[i].whole > 0 ? terms[i].weight * sums[i].part / sums[i].whole : NAN;
	}
	return value;
}

static int by_number(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static struct interval middle_95(double *values, size_t n)
{
	if (n < 2) {
		return (struct interval){NAN, NAN};
	}
	qsort(values, n, sizeof(*values), by_number);
	double low = ALPHA / 2 * (double)(n - 1), high = (1 - ALPHA / 2) * (double)(n - 1);
	return (struct interval){values[(size_t)floor(low)], values[(size_t)ceil(high)]};
}

void clusters_estimate(
        const struct clusters *c, const struct term *terms, size_t n, struct estimate *ret)
{
	if (c->n > CLUSTERS_DRAWN || c->folded) {
		clusters_estimate_linear(c, terms, n, ret);
		return;
	}
	struct ratio *sums;
	if (begin(c, terms, n, ret, &sums)) {
		double values[CLUSTERS_DRAWS];
		uint64_t random = SEED;
		size_t drawn = 0;
		for (size_t i = 0; i < CLUSTERS_DRAWS; i++) {
			values[drawn] = draw(c, terms, n, &random, sums);
			drawn += !isnan(values[drawn]);
		}
		ret->ci = middle_95(values, drawn);
	}
	free(sums);
}

void clusters_estimate_rate(const struct clusters *c, size_t figure, struct estimate *ret)
{
	struct term term = {figure, 1};
	struct ratio *totals;
	bool known = begin(c, &term, 1, ret, &totals);
	double n = totals[0].whole, rate = ret->value;
	free(totals);
	if (!known) {
		return;
	}
	/* Where all clusters say the same, nothing tells how alike pairs are: each cluster counts
	 * once. */
	double variance = ret->error * ret->error;
	double effective = variance > 0 ? rate * (1 - rate) / variance : (double)ret->clusters;
	effective = fmin(fmax(effective, 1), n);
	ret->ci = testing_beta_interval(rate * effective, effective, ALPHA);
}

void clusters_estimate_events(
        const struct clusters *c, size_t figure, size_t pairs, struct estimate *ret)
{
	struct term term = {figure, 1};
	struct ratio *totals;
	bool known = begin(c, &term, 1, ret, &totals);
	double events = totals[0].part, risk = totals[0].whole;
	free(totals);
	if (!known) {
		return;
	}
	/* Independent pairs would give a variance of events / risk^2. Without events nothing tells how
	 * alike pairs are: each cluster counts once. */
	double alike = fmax(1, total_of(c, pairs).whole / (double)ret->clusters);
	if (events > 0) {
		alike = fmax(1, ret->error * ret->error * risk * risk / events);
	}
	ret->ci = testing_beta_interval(events / alike, risk / alike, ALPHA);
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
		const struct ratio *r = sums_of(c, row, figure);
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
			const struct ratio *r = sums_of(c, row, u->used[i]);
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
			ret[t].ci = middle_95(own, keep_numbers(own, CLUSTERS_DRAWS));
		}
	}
	free(values);
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
