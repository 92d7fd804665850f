#include "analyzer/causes/cause_tests.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "analyzer/stats/distribution.h"
#include "base/mem.h"

static struct analysis_group *begin(void)
{
	struct analysis_group *g = xcalloc(1, sizeof(*g));
	g->causes.clusters = clusters_create_limited(CAUSE_COLUMNS, 4096);
	return g;
}

static void end(struct analysis_group *g)
{
	group_finish(g);
	free(g);
}

/* A mean over some positions of one cluster. */
static void add(struct analysis_group *g, uint64_t cluster, enum cause_column column, double mean,
        double positions)
{
	uint8_t key[CLUSTERS_KEY_SIZE] = {0};
	memcpy(key + 8, &cluster, sizeof(cluster));
	uint32_t row = clusters_row(g->causes.clusters, key);
	clusters_add(g->causes.clusters, row, column, mean * positions, positions);
}

static double p_of(const struct analysis_group *g, enum cause_test test)
{
	struct cause_tests t;
	cause_tests_make(g, &t);
	return t.p[test];
}

Test(cause_tests, drift_of_few_clusters_is_held_against_students_distribution)
{
	struct analysis_group *g = begin();
	const struct term noise = {COLUMN_NOISE, 1};
	struct estimate e;
	/* Three sessions have nearly all positions. */
	for (uint64_t i = 0; i < 30; i++) {
		add(g, i, COLUMN_NOISE, 0.08 + 0.01 * (double)(i % 3), i < 3 ? 1000 : 1);
	}
	clusters_estimate_linear(g->causes.clusters, &noise, 1, &e);
	double t = (e.value - 0.05) / e.error;
	cr_assert_lt(e.freedom, 3);
	cr_assert_float_eq(p_of(g, TEST_DRIFT), distribution_student_below(-t, e.freedom), 1e-12);
	cr_assert_gt(p_of(g, TEST_DRIFT), 1000 * distribution_normal_below(-t));
	end(g);
}

Test(cause_tests, instability_is_as_sure_as_the_floor_that_fewer_tell_of)
{
	struct analysis_group *g = begin();
	const struct term more[] = {{COLUMN_TEST_NOISE, 1}, {COLUMN_BASE_NOISE, -1}};
	struct estimate e, base;
	for (uint64_t i = 0; i < 200; i++) {
		add(g, i, COLUMN_TEST_NOISE, 0.03 + 0.01 * (double)(i % 2), 10);
	}
	for (uint64_t i = 0; i < 20; i++) {
		add(g, i, COLUMN_BASE_NOISE, 0.02 + 0.02 * (double)(i % 2), 10);
	}
	clusters_estimate_linear(g->causes.clusters, more, 2, &e);
	clusters_estimate_linear(
	        g->causes.clusters, &(struct term){COLUMN_BASE_NOISE, 1}, 1, &base);
	cr_assert_float_eq(p_of(g, TEST_UNSTABLE),
	        2 * distribution_student_below(-e.value / e.error, base.freedom), 1e-12);
	end(g);
}

Test(cause_tests, a_floor_that_few_clusters_tell_of_is_none)
{
	struct analysis_group *g = begin();
	struct cause_tests t;
	for (uint64_t i = 0; i < 60; i++) {
		add(g, i, COLUMN_NOISE, 0.02 + 0.001 * (double)(i % 5), 10);
	}
	/* One lucky exchange, in which nothing moved. */
	add(g, 0, COLUMN_BASE_NOISE, 0, 10);
	add(g, 0, COLUMN_TEST_NOISE, 0, 10);
	cause_tests_make(g, &t);
	cr_assert(isnan(t.floor));
	cr_assert(isnan(t.p[TEST_UNSTABLE]));
	cr_assert_gt(t.p[TEST_DRIFT], 0.5, "less than what rounding may make without a floor");
	end(g);
}

Test(cause_tests, a_contrast_that_rounded_weights_cause_is_no_penalty)
{
	struct analysis_group *g = begin();
	const struct term contrast = {COLUMN_CONTRAST, 1};
	struct estimate e;
	for (uint64_t i = 0; i < 40; i++) {
		add(g, i, COLUMN_CONTRAST, -0.06 + 0.08 * ((double)(i % 2) - 0.5), 10);
	}
	clusters_estimate_linear(g->causes.clusters, &contrast, 1, &e);
	cr_assert_lt(e.value / e.error, -9, "far from 0");
	cr_assert_float_eq(p_of(g, TEST_CONTRAST),
	        2 * distribution_student_below((e.value + 0.05) / e.error, e.freedom), 1e-12);
	cr_assert_gt(p_of(g, TEST_CONTRAST), 0.05);
	end(g);
}

Test(cause_tests, a_contrast_far_beyond_that_of_rounded_weights_is_a_penalty)
{
	struct analysis_group *few = begin(), *equal = begin();
	for (uint64_t i = 0; i < 8; i++) {
		add(few, i, COLUMN_CONTRAST, 0.5 + 0.05 * (double)(i % 2), 10);
		add(equal, i, COLUMN_CONTRAST, 0.5, 10);
	}
	cr_assert_lt(p_of(few, TEST_CONTRAST), 1e-6);
	cr_assert_float_eq(p_of(equal, TEST_CONTRAST), exp2(-7), 1e-12);
	end(few);
	end(equal);
}

static void add_scores(struct scores *to, double contrast)
{
	for (uint64_t i = 0; i < 20; i++) {
		struct score_row row = {.contrasts = 10};
		memcpy(row.exchange.cluster + 8, &i, sizeof(i));
		row.contrast = 10 * (contrast + 0.02 * (double)(i % 2));
		scores_add(to, &row);
	}
}

Test(cause_tests, a_scored_contrast_counts_from_that_of_the_bases_own_answers)
{
	static const double bases[] = {0, -0.1, -0.5};
	for (size_t i = 0; i < ARRAY_LEN(bases); i++) {
		struct analysis_group *g = begin();
		struct scores own = {0};
		struct cause_tests t;
		add_scores(&own, bases[i]);
		add_scores(&g->scores, -0.3);
		g->of_base = &own;
		cause_tests_make(g, &t);
		cr_expect_lt(t.p[TEST_SCORED_CONTRAST], 1e-6);
		cr_expect_float_eq(t.scored_contrast, -0.3 - bases[i], 1e-12);
		scores_finish(&own);
		end(g);
	}
}

Test(cause_tests, clusters_that_never_vary_are_worth_a_coin_each)
{
	struct analysis_group *g = begin();
	for (uint64_t i = 0; i < 24; i++) {
		add(g, i, COLUMN_NOISE, 0.25, 8);
	}
	cr_assert_float_eq(p_of(g, TEST_DRIFT), exp2(-24), 1e-15);
	end(g);
}

/* Of all tokens a fifth had been there before; of the skipped ones, all had. */
static struct analysis_group *penalised(uint64_t sessions, uint64_t tokens)
{
	struct analysis_group *g = begin();
	for (uint64_t i = 0; i < sessions; i++) {
		add(g, i, COLUMN_TEST_REPEATS, 1, (double)tokens);
	}
	g->causes.of[SIDE_TEST].choices = (struct cause_choices){.not_top = sessions * tokens,
	        .repeats = sessions * tokens,
	        .best = 4998,
	        .best_seen = 999};
	return g;
}

Test(cause_tests, tokens_of_one_session_tell_of_a_penalty_once)
{
	struct analysis_group *one = penalised(1, 60), *two = penalised(2, 30),
	                      *many = penalised(12, 5);
	cr_assert_float_eq(p_of(one, TEST_PENALTY_OF_TEST), 0.2, 1e-3);
	cr_assert_float_eq(p_of(two, TEST_PENALTY_OF_TEST), 0.04, 1e-3);
	cr_assert_float_eq(p_of(many, TEST_PENALTY_OF_TEST), pow(0.2, 12), 1e-10);
	end(one);
	end(two);
	end(many);
}

Test(cause_tests, where_sums_are_no_numbers_there_is_no_test)
{
	struct analysis_group *g = begin();
	struct cause_tests t;
	for (uint64_t i = 0; i < 60; i++) {
		add(g, i, COLUMN_GAPS, i == 7 ? INFINITY : 1.0 + 0.1 * (double)(i % 3), 10);
		add(g, i, COLUMN_CONTRAST, i % 2 ? INFINITY : -INFINITY, 10);
	}
	cause_tests_make(g, &t);
	cr_assert(isnan(t.p[TEST_PROCESSED]), "%g", t.p[TEST_PROCESSED]);
	cr_assert(isnan(t.p[TEST_CONTRAST]), "%g", t.p[TEST_CONTRAST]);
	end(g);
}
