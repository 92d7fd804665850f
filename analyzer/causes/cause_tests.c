#include "analyzer/causes/cause_tests.h"

#include <math.h>

#include "analyzer/stats/distribution.h"
#include "analyzer/stats/proportion.h"
#include "base/check.h"
#include "base/multiple_testing.h"

#define CLUSTERS_LEAST 20 /* clusters needed before the standard error between them is trusted */
#define CLUSTERS_FEW 8    /* clusters needed for causes that move all positions, such as drift */
#define EVENTS_LEAST 8    /* differing answers needed before their circumstances are tested */
#define LEVEL_LEAST 10    /* answers */
#define STACK_LEAST 20    /* answers on either side of a comparison */
/* nats that an engine's rounding may cause; the limit where no floor was measured */
#define NOISE_BARE 0.05
/* nats: rounded weights move the tokens that an engine draws often by so much, without a penalty */
#define CONTRAST_BARE 0.05

/* A sum of ratios, and its distance from the value that chance alone would give. */
struct deviation {
	double value;
	double far;
	double t;       /* far, in standard errors; NaN: too little data */
	double freedom; /* of Student's distribution */
};

static struct estimate estimate_of(const struct causes *c, const struct term *terms, size_t n)
{
	struct estimate e;
	clusters_estimate_linear(c->clusters, terms, n, &e);
	return e;
}

static double mean_of(const struct causes *c, enum cause_column column)
{
	const struct term own = {column, 1};
	return estimate_of(c, &own, 1).value;
}

static bool is_known(const struct causes *c, enum cause_column column, size_t clusters)
{
	const struct term own = {column, 1};
	return estimate_of(c, &own, 1).clusters >= clusters;
}

/* The degrees of freedom of the term with the fewest clusters: the sum is no more certain than
 * that term. */
static double least_freedom(const struct causes *c, const struct term *terms, size_t n)
{
	double least = INFINITY;
	for (size_t i = 0; i < n; i++) {
		const struct term own = {terms[i].figure, 1};
		least = fmin(least, estimate_of(c, &own, 1).freedom);
	}
	return least;
}

static struct deviation deviation_of_estimate(const struct estimate *e, double freedom, double from)
{
	struct deviation a = {.value = e->value, .far = e->value - from, .t = NAN};
	if (isnan(a.far) || isnan(e->error)) {
		return a;
	}
	a.t = e->error > 0 ? a.far / e->error : a.far != 0 ? copysign(INFINITY, a.far) : 0;
	a.freedom = freedom;
	return a;
}

static struct deviation deviation_of_few(
        const struct causes *c, const struct term *terms, size_t n, double from, size_t clusters)
{
	struct estimate e = estimate_of(c, terms, n);
	for (size_t i = 0; i < n; i++) {
		if (!is_known(c, (enum cause_column)terms[i].figure, clusters)) {
			return (struct deviation){.value = e.value, .t = NAN};
		}
	}
	return deviation_of_estimate(&e, least_freedom(c, terms, n), from);
}

static struct deviation deviation_of(
        const struct causes *c, const struct term *terms, size_t n, double from)
{
	return deviation_of_few(c, terms, n, from, CLUSTERS_LEAST);
}

/* One-sided. If the clusters do not vary at all, there is no standard error, so each cluster counts
 * as one event with probability 1/2. */
static double p_above(const struct deviation *a)
{
	return isnan(a->t)        ? NAN
	       : a->t == INFINITY ? exp2(-(a->freedom + 1))
	                          : distribution_student_below(-a->t, a->freedom);
}

static double p_two_sided(const struct deviation *a)
{
	const struct deviation up = {.t = fabs(a->t), .freedom = a->freedom};
	return isnan(a->t) ? NAN : fmin(1, 2 * p_above(&up));
}

/* Two-sided. The null hypothesis is a distance of at most `least`. */
static double p_beyond(const struct deviation *a, double least)
{
	if (fabs(a->far) <= least) {
		return isnan(a->t) ? NAN : 1;
	}
	const struct deviation beyond = {
	        .t = a->t * (1 - least / fabs(a->far)), .freedom = a->freedom};
	return p_two_sided(&beyond);
}

/* Tokens of one session are correlated. They count as the smaller number of independent
 * (binomial) tokens that would vary as much. */
static double p_of_penalty(
        const struct causes *c, const struct cause_choices *side, enum cause_column repeats)
{
	struct estimate e;
	if (side->not_top == 0) {
		return NAN;
	}
	double by_chance = ((double)side->best_seen + 1) / ((double)side->best + 2);
	const struct counted of = {repeats, COLUMN_DIFFER, .several = true};
	clusters_estimate_counted(c->clusters, &of, &e);
	double n = isnan(e.effective_n) ? 1 : e.effective_n;
	return proportion_binomial_above(e.value * n, n, by_chance);
}

/* Needs as few clusters as the test for drift: drift moves the same positions and is the less
 * specific cause. */
static void test_contrast(const struct causes *c, struct cause_tests *t)
{
	const struct term of = {COLUMN_CONTRAST, 1};
	struct deviation a = deviation_of_few(c, &of, 1, 0, CLUSTERS_FEW);
	t->contrast = a.value;
	t->p[TEST_CONTRAST] = p_beyond(&a, CONTRAST_BARE);
}

/* Subtracts what the base's own scores show: what the base also does to its own logprobs is no
 * difference. none: the value without a fault. */
static struct deviation deviation_of_scores(
        const struct analysis_group *g, size_t column, double none)
{
	struct estimate own = {.value = none}, e;
	scores_estimate(&g->scores, column, &e);
	if (e.clusters < CLUSTERS_FEW) {
		return (struct deviation){.value = e.value, .far = NAN, .t = NAN};
	}
	if (g->of_base) {
		struct estimate of_base;
		scores_estimate(g->of_base, column, &of_base);
		own = of_base.clusters >= CLUSTERS_FEW ? of_base : own;
	}
	e.error = hypot(e.error, own.error);
	return deviation_of_estimate(&e, e.freedom, own.value);
}

static void test_scores(const struct analysis_group *g, struct cause_tests *t)
{
	struct deviation contrast = deviation_of_scores(g, SCORE_CONTRAST, 0);
	struct deviation gaps = deviation_of_scores(g, SCORE_GAPS, 1);
	struct estimate products;
	scores_estimate(&g->scores, SCORE_GAP_PRODUCTS, &products);
	t->scored_contrast = contrast.far;
	t->scored_stretch = sqrt(gaps.value);
	t->scored_fit = products.value * products.value / gaps.value;
	t->p[TEST_SCORED_CONTRAST] = p_beyond(&contrast, CONTRAST_BARE);
	t->p[TEST_SCORED_GAPS] = p_two_sided(&gaps);
}

static void test_processed(const struct causes *c, struct cause_tests *t)
{
	const struct term of = {COLUMN_GAPS, 1};
	struct deviation a = deviation_of(c, &of, 1, 1);
	t->p[TEST_PROCESSED] = p_two_sided(&a);
	t->slope = sqrt(a.value);
	double both = exact_sum_value(&c->gap_products);
	double squares =
	        exact_sum_value(&c->gap_test_squares) * exact_sum_value(&c->gap_base_squares);
	t->fit = squares > 0 ? both * both / squares : 0;
}

static double total_of(const struct causes *c, enum cause_column column)
{
	return clusters_total(c->clusters, column).whole;
}

/* Compares the mean level at the events with the mean level of all. Few events can never give a
 * small p value. */
static double p_of_level(
        const struct causes *c, enum cause_column column, double events, bool *ret_rises)
{
	const struct term of[] = {{column, 1}, {(size_t)column + 1, -1}};
	struct deviation a = {.t = NAN};
	if (events >= EVENTS_LEAST) {
		a = deviation_of(c, of, ARRAY_LEN(of), 0);
	}
	*ret_rises = a.t > 0;
	return isnan(a.t) ? NAN : fmin(1, fmax(p_two_sided(&a), exp2(1 - events)));
}

/* NaN: without positions. */
static double noise_of(const struct cause_level *l)
{
	return l->positions ? exact_sum_value(&l->noise) / (double)l->positions : NAN;
}

/* Compares the lowest levels, as many as are needed for enough answers, with all higher ones. */
static void compare_levels(const struct cause_level *levels, size_t n, struct cause_rise *ret)
{
	struct cause_level low = {0}, high = {0};
	for (size_t i = 0; i < n; i++) {
		struct cause_level *to = low.n < LEVEL_LEAST ? &low : &high;
		to->n += levels[i].n;
		to->hits += levels[i].hits;
		exact_sum_merge(&to->noise, &levels[i].noise);
		to->positions += levels[i].positions;
	}
	ret->low = low.n ? (double)low.hits / (double)low.n : NAN;
	ret->high = high.n ? (double)high.hits / (double)high.n : NAN;
	ret->extra = high.n ? fmax(0, (double)high.hits - (double)high.n * ret->low) : 0;
	ret->noise_low = noise_of(&low);
	ret->noise_high = noise_of(&high);
}

/* first: the first of the level's columns; test: the first of the level's two tests. */
static void test_level(const struct causes *c, enum cause_column first, enum cause_test test,
        struct cause_tests *t, struct cause_rise *rise)
{
	double by_token = total_of(c, first), differ = total_of(c, (enum cause_column)(first + 2));
	bool tokens = by_token >= EVENTS_LEAST;
	t->p[test] = p_of_level(c, tokens ? first : (enum cause_column)(first + 2),
	        tokens ? by_token : differ, &rise->differ);
	t->p[test + 1] = p_of_level(c, (enum cause_column)(first + 4), differ, &rise->noise);
}

/* How much more the share of differing answers varies than if answers were independent. */
static double design_effect(const struct causes *c)
{
	const struct term of = {COLUMN_DIFFER, 1};
	struct estimate e = estimate_of(c, &of, 1);
	double n = total_of(c, COLUMN_DIFFER);
	double independent = n > 0 ? e.value * (1 - e.value) / n : 0;
	return independent > 0 && !isnan(e.error) ? fmax(1, e.error * e.error / independent) : 1;
}

/* Compares each stack's share of differing answers with that of all other stacks; keeps the
 * stack that is furthest off. */
static void test_stack(const struct causes *c, const struct facets *facets, struct cause_tests *t)
{
	const struct facet_list *stacks = &facets->of[FACET_STACK];
	uint64_t n = 0, hits = 0;
	t->p[TEST_STACK] = NAN;
	for (size_t i = 0; i < stacks->n; i++) {
		n += stacks->items[i].pairs;
		hits += stacks->items[i].differ;
	}
	double most = -1, rate = n ? (double)hits / (double)n : 0;
	for (size_t i = 0; i < stacks->n && stacks->n > 1; i++) {
		const struct facet *f = &stacks->items[i];
		if (f->pairs < STACK_LEAST || n - f->pairs < STACK_LEAST) {
			continue;
		}
		double here = (double)f->differ / (double)f->pairs;
		double others = (double)(hits - f->differ) / (double)(n - f->pairs);
		double variance = design_effect(c) * rate * (1 - rate) *
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
		const struct term differ = {COLUMN_DIFFER, 1};
		const struct deviation a = {.t = most, .freedom = least_freedom(c, &differ, 1)};
		t->p[TEST_STACK] = fmin(1, p_two_sided(&a) * (double)stacks->n);
	}
}

/* A floor that was measured in too few clusters is ignored. */
static void test_drift(const struct causes *c, struct cause_tests *t)
{
	bool base = is_known(c, COLUMN_BASE_NOISE, CLUSTERS_FEW);
	bool test = is_known(c, COLUMN_TEST_NOISE, CLUSTERS_FEW);
	double each = base && test ? -0.5 : -1;
	struct term of[3] = {{COLUMN_NOISE, 1}};
	size_t n = 1;
	if (base) {
		of[n++] = (struct term){COLUMN_BASE_NOISE, each};
	}
	if (test) {
		of[n++] = (struct term){COLUMN_TEST_NOISE, each};
	}
	struct deviation excess =
	        deviation_of_few(c, of, n, base || test ? 0 : NOISE_BARE, CLUSTERS_FEW);
	t->noise = mean_of(c, COLUMN_NOISE);
	t->floor = base || test ? t->noise - excess.value : NAN;
	/* One-sided: noise below the floor is no drift. */
	t->p[TEST_DRIFT] = p_above(&excess);
}

static void test_unstable(const struct causes *c, struct cause_tests *t)
{
	const struct term of[] = {{COLUMN_TEST_NOISE, 1}, {COLUMN_BASE_NOISE, -1}};
	struct deviation more = deviation_of(c, of, ARRAY_LEN(of), 0);
	t->test_noise = mean_of(c, COLUMN_TEST_NOISE);
	t->base_noise = mean_of(c, COLUMN_BASE_NOISE);
	t->p[TEST_UNSTABLE] = p_two_sided(&more);
}

void cause_tests_make(const struct analysis_group *g, struct cause_tests *ret)
{
	const struct causes *c = &g->causes;
	*ret = (struct cause_tests){.noise = NAN, .floor = NAN};
	for (enum side i = 0; i < N_SIDES; i++) {
		ret->p[TEST_PENALTY_OF_BASE + i] = p_of_penalty(
		        c, &c->of[i].choices, (enum cause_column)(COLUMN_BASE_REPEATS + i));
		ret->p[TEST_CROSSTALK_OF_BASE + i] = crosstalk_side_p(&c->of[i].talk);
	}
	test_contrast(c, ret);
	test_processed(c, ret);
	test_scores(g, ret);
	cause_change_find(&c->timeline, design_effect(c), &ret->change);
	ret->p[TEST_CHANGE] = ret->change.p;
	test_level(c, COLUMN_LOAD_FIRST, TEST_LOAD, ret, &ret->load);
	test_level(c, COLUMN_CACHE_FIRST, TEST_CACHE, ret, &ret->cache);
	compare_levels(c->load, CAUSE_LEVELS, &ret->load);
	compare_levels(c->cache, ARRAY_LEN(c->cache), &ret->cache);
	test_stack(c, &g->facets, ret);
	test_unstable(c, ret);
	test_drift(c, ret);
	multiple_testing_holm(ret->p, N_CAUSE_TESTS);
}
