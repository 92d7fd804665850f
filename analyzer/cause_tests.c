#include "analyzer/cause_tests.h"

#include <math.h>

#include "analyzer/testing.h"
#include "base/check.h"

#define CLUSTERS_LEAST 20 /* before an error between them is believed */
#define EVENTS_LEAST 8    /* differing answers, before it is asked where they are */
#define LEVEL_LEAST 10    /* answers */
#define STACK_LEAST 20    /* answers on either side of a comparison */
#define NOISE_BARE 0.05   /* nats that rounding in an engine may well make, where no floor tells */

static double p_of_z(double z)
{
	return isnan(z) ? NAN : 2 * testing_normal_below(-fabs(z));
}

static double p_of_penalty(const struct cause_choices *c)
{
	if (c->not_top == 0) {
		return NAN;
	}
	double anyway = ((double)c->best_seen + 1) / ((double)c->best + 2);
	return testing_binomial_above((double)c->repeats, (double)c->not_top, anyway);
}

/* The value of some terms against another, in errors. */
static double z_of(const struct causes *c, const struct term *terms, size_t n, double against,
        double *ret_value)
{
	struct estimate e = {NAN, {NAN, NAN}, 0, NAN};
	if (c->clusters) {
		clusters_estimate_linear(c->clusters, terms, n, &e);
	}
	*ret_value = e.value;
	if (isnan(e.value) || isnan(e.error) || e.clusters < CLUSTERS_LEAST) {
		return NAN;
	}
	double away = e.value - against;
	return e.error > 0 ? away / e.error : away != 0 ? copysign(INFINITY, away) : 0;
}

static void test_contrast(const struct causes *c, struct cause_tests *t)
{
	const struct term of = {COLUMN_CONTRAST, 1};
	t->p[TEST_CONTRAST] = p_of_z(z_of(c, &of, 1, 0, &t->contrast));
}

static void test_processed(const struct causes *c, struct cause_tests *t)
{
	const struct term of = {COLUMN_GAPS, 1};
	double ratio;
	t->p[TEST_PROCESSED] = p_of_z(z_of(c, &of, 1, 1, &ratio));
	t->slope = sqrt(ratio);
	double squares = c->gap_test * c->gap_base;
	t->fit = squares > 0 ? c->gap_both * c->gap_both / squares : 0;
}

static double total_of(const struct causes *c, enum cause_column column)
{
	double part = 0, whole = 0;
	if (c->clusters) {
		clusters_total(c->clusters, column, &part, &whole);
	}
	return whole;
}

/* Mean level of what happened against that of all; few events never show much. */
static double p_of_level(
        const struct causes *c, enum cause_column column, double events, bool *ret_rises)
{
	double value;
	const struct term of[] = {{column, 1}, {(size_t)column + 1, -1}};
	double z = events < EVENTS_LEAST ? NAN : z_of(c, of, ARRAY_LEN(of), 0, &value);
	*ret_rises = z > 0;
	return isnan(z) ? NAN : fmin(1, fmax(p_of_z(z), exp2(1 - events)));
}

/* Levels against the least one that has enough answers. */
static void compare_levels(const struct cause_level *levels, size_t n, struct cause_rise *ret)
{
	struct cause_level low = {0}, high = {0};
	for (size_t i = 0; i < n; i++) {
		struct cause_level *to = low.n < LEVEL_LEAST ? &low : &high;
		to->n += levels[i].n;
		to->hits += levels[i].hits;
		to->noise += levels[i].noise;
		to->positions += levels[i].positions;
	}
	ret->low = low.n ? (double)low.hits / (double)low.n : NAN;
	ret->high = high.n ? (double)high.hits / (double)high.n : NAN;
	ret->extra = high.n ? fmax(0, (double)high.hits - (double)high.n * ret->low) : 0;
	ret->noise_low = low.positions ? low.noise / (double)low.positions : NAN;
	ret->noise_high = high.positions ? high.noise / (double)high.positions : NAN;
}

/* first: of the level's columns; test: the first of its two. */
static void test_level(const struct causes *c, enum cause_column first, enum cause_test test,
        struct cause_tests *t, struct cause_rise *rise)
{
	double parted = total_of(c, first), differ = total_of(c, (enum cause_column)(first + 2));
	bool tokens = parted >= EVENTS_LEAST;
	t->p[test] = p_of_level(c, tokens ? first : (enum cause_column)(first + 2),
	        tokens ? parted : differ, &rise->differ);
	t->p[test + 1] = p_of_level(c, (enum cause_column)(first + 4), differ, &rise->noise);
}

/* As many answers as are worth one, for those of one prompt or session are alike. */
static double alike(const struct causes *c)
{
	const struct term of = {COLUMN_DIFFER, 1};
	double rate, n = total_of(c, COLUMN_DIFFER);
	struct estimate e;
	if (n == 0) {
		return 1;
	}
	clusters_estimate_linear(c->clusters, &of, 1, &e);
	rate = e.value;
	double independent = rate * (1 - rate) / n;
	return independent > 0 && !isnan(e.error) ? fmax(1, e.error * e.error / independent) : 1;
}

/* A stack's share of differing answers against that of all others; the one furthest off. */
static void test_stack(const struct causes *c, const struct facets *facets, struct cause_tests *t)
{
	uint64_t n = 0, hits = 0;
	size_t stacks = 0;
	t->p[TEST_STACK] = NAN;
	for (size_t i = 0; i < facets->n; i++) {
		const struct facet *f = &facets->items[i];
		n += f->kind == FACET_STACK ? f->pairs : 0;
		hits += f->kind == FACET_STACK ? f->differ : 0;
		stacks += f->kind == FACET_STACK;
	}
	double most = -1, rate = n ? (double)hits / (double)n : 0;
	for (size_t i = 0; i < facets->n && stacks > 1; i++) {
		const struct facet *f = &facets->items[i];
		if (f->kind != FACET_STACK || f->pairs < STACK_LEAST ||
		        n - f->pairs < STACK_LEAST) {
			continue;
		}
		double here = (double)f->differ / (double)f->pairs;
		double others = (double)(hits - f->differ) / (double)(n - f->pairs);
		double variance = alike(c) * rate * (1 - rate) *
		                  (1 / (double)f->pairs + 1 / (double)(n - f->pairs));
		double z = variance > 0 ? fabs(here - others) / sqrt(variance) : 0;
		if (z > most) {
			most = z;
			t->stack = f;
			t->stack_rate = here;
			t->others_rate = others;
		}
	}
	if (t->stack && hits >= EVENTS_LEAST) {
		t->p[TEST_STACK] = fmin(1, p_of_z(most) * (double)stacks);
	}
}

static void test_drift(const struct causes *c, struct cause_tests *t)
{
	bool base = total_of(c, COLUMN_BASE_NOISE) > 0, test = total_of(c, COLUMN_TEST_NOISE) > 0;
	double each = base && test ? -0.5 : -1, excess;
	const struct term own = {COLUMN_NOISE, 1};
	struct term of[3] = {own};
	size_t n = 1;
	if (base) {
		of[n++] = (struct term){COLUMN_BASE_NOISE, each};
	}
	if (test) {
		of[n++] = (struct term){COLUMN_TEST_NOISE, each};
	}
	double against = base || test ? 0 : NOISE_BARE;
	(void)z_of(c, &own, 1, 0, &t->noise);
	double z = z_of(c, of, n, against, &excess);
	t->floor = base || test ? t->noise - excess : NAN;
	/* One-sided: less noise than the floor's is no drift. */
	t->p[TEST_DRIFT] = isnan(z) ? NAN : testing_normal_below(-z);
}

static void test_unstable(const struct causes *c, struct cause_tests *t)
{
	const struct term of[] = {{COLUMN_TEST_NOISE, 1}, {COLUMN_BASE_NOISE, -1}};
	double more;
	(void)z_of(c, &of[0], 1, 0, &t->test_noise);
	(void)z_of(c, &(struct term){COLUMN_BASE_NOISE, 1}, 1, 0, &t->base_noise);
	t->p[TEST_UNSTABLE] = p_of_z(z_of(c, of, ARRAY_LEN(of), 0, &more));
}

void cause_tests_make(const struct analysis_group *g, struct cause_tests *ret)
{
	const struct causes *c = &g->causes;
	*ret = (struct cause_tests){.noise = NAN, .floor = NAN};
	ret->p[TEST_PENALTY_OF_BASE] = p_of_penalty(&c->base);
	ret->p[TEST_PENALTY_OF_TEST] = p_of_penalty(&c->test);
	test_contrast(c, ret);
	test_processed(c, ret);
	ret->p[TEST_TALK_OF_BASE] = cause_talk_p(&c->talk.base);
	ret->p[TEST_TALK_OF_TEST] = cause_talk_p(&c->talk.test);
	cause_timeline_change(&c->timeline, alike(c), &ret->change);
	ret->p[TEST_CHANGE] = ret->change.p;
	test_level(c, COLUMN_LOAD_PARTED, TEST_LOAD, ret, &ret->load);
	test_level(c, COLUMN_CACHE_PARTED, TEST_CACHE, ret, &ret->cache);
	compare_levels(c->load, CAUSE_LEVELS, &ret->load);
	compare_levels(c->cache, ARRAY_LEN(c->cache), &ret->cache);
	test_stack(c, &g->facets, ret);
	test_unstable(c, ret);
	test_drift(c, ret);
	testing_holm(ret->p, N_CAUSE_TESTS);
}
