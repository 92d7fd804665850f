#include "analyzer/stats/clusters.h"

#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/stats/proportion.h"
#include "base/check.h"
#include "rounds.h"

static uint64_t state;

static double unit(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (double)(state >> 11) * 0x1p-53;
}

static uint32_t row_of(struct clusters *c, uint64_t number)
{
	uint8_t key[CLUSTERS_KEY_SIZE] = {0};
	memcpy(key, &number, sizeof(number));
	memcpy(key + 8, &number, sizeof(number));
	return clusters_row(c, key);
}

static const struct term ONE[] = {{0, 1}};

static void estimate(
        const struct clusters *c, const struct term *terms, size_t n, struct estimate *ret)
{
	const struct terms of = {terms, n};
	clusters_estimate_all(c, &of, 1, ret);
}

Test(clusters, sums_are_kept_by_key_and_merge)
{
	struct clusters *a = clusters_create(2), *b = clusters_create(2);
	struct estimate e;
	for (uint64_t i = 0; i < 3000; i++) {
		struct clusters *c = i % 2 ? a : b;
		clusters_add(c, row_of(c, i % 700), 0, i % 10 == 0, 1);
	}
	clusters_merge(&a, b);
	clusters_estimate_linear(a, ONE, 1, &e);
	cr_assert_float_eq(e.value, 0.1, 1e-12);
	cr_assert_eq(e.clusters, 700);
	struct term other[] = {{1, 1}};
	estimate(a, other, 1, &e);
	cr_assert(isnan(e.value) && isnan(e.ci.low), "nothing was added to the second figure");
	clusters_destroy(a);
	clusters_destroy(b);
}

Test(clusters, twenty_runs_of_fifty_prompts_are_fifty)
{
	struct clusters *few = clusters_create(1), *many = clusters_create(1);
	for (uint64_t prompt = 0; prompt < 50; prompt++) {
		bool differs = prompt % 5 == 0;
		for (uint64_t run = 0; run < 20; run++) {
			clusters_add(few, row_of(few, prompt), 0, differs, 1);
			clusters_add(many, row_of(many, prompt * 20 + run), 0, differs, 1);
		}
	}
	struct estimate clustered, independent;
	estimate(few, ONE, 1, &clustered);
	estimate(many, ONE, 1, &independent);
	double ratio =
	        (clustered.ci.high - clustered.ci.low) / (independent.ci.high - independent.ci.low);
	cr_assert_float_eq(ratio, sqrt(20), 0.6, "%f", ratio);
	clusters_estimate_rate(few, 0, &clustered);
	struct interval exact = proportion_mid_p(10, 50, 0.05);
	cr_assert_float_eq(clustered.ci.low, exact.low, 0.01);
	cr_assert_float_eq(clustered.ci.high, exact.high, 0.01);
	clusters_destroy(few);
	clusters_destroy(many);
}

/* An excess over two floors, with so many sessions of one to four turns. */
static struct clusters *excess(size_t sessions)
{
	struct clusters *c = clusters_create(3);
	for (uint64_t i = 0; i < sessions; i++) {
		uint32_t row = row_of(c, i);
		double own = 0.1 + 0.2 * unit();
		for (int k = 0; k < 1 + (int)(4 * unit()); k++) {
			clusters_add(c, row, 0, unit() < own, 1);
			clusters_add(c, row, 1, unit() < own / 2, 1);
			clusters_add(c, row, 2, unit() < own / 3, 1);
		}
	}
	return c;
}

Test(clusters, both_ways_agree_within_a_twentieth_of_their_width)
{
	static const struct term EXCESS[] = {{0, 1}, {1, -0.5}, {2, -0.5}};
	double off = 0, low_off = 0, high_off = 0;
	state = 1;
	for (int i = 0; i < 20; i++) {
		struct clusters *c = excess(3000);
		struct estimate drawn, linear, again;
		estimate(c, EXCESS, 3, &drawn);
		estimate(c, EXCESS, 3, &again);
		clusters_estimate_linear(c, EXCESS, 3, &linear);
		cr_assert_eq(memcmp(&again, &drawn, sizeof(again)), 0, "the seed is fixed");
		cr_assert_float_eq(drawn.value, linear.value, 0);
		double width = linear.ci.high - linear.ci.low;
		off += ((drawn.ci.high - drawn.ci.low) / width - 1) / 20;
		low_off += (drawn.ci.low - linear.ci.low) / width / 20;
		high_off += (drawn.ci.high - linear.ci.high) / width / 20;
		clusters_destroy(c);
	}
	/* The ends of one interval scatter by 2 % of its width, for there are 1,000 draws. */
	cr_assert_float_eq(off, 0, 0.05, "%f", off);
	cr_assert_float_eq(low_off, 0, 0.05, "%f", low_off);
	cr_assert_float_eq(high_off, 0, 0.05, "%f", high_off);
}

/* The most clusters that are drawn, and one more. */
Test(clusters, the_way_above_the_limit_agrees_with_the_draws_within_a_twentieth)
{
	static const struct term EXCESS[] = {{0, 1}, {1, -0.5}, {2, -0.5}};
	double off = 0, low_off = 0, high_off = 0;
	state = 5;
	for (int i = 0; i < 3; i++) {
		struct clusters *c = excess(CLUSTERS_BOOTSTRAP_LIMIT);
		struct estimate drawn, linear, same;
		estimate(c, EXCESS, 3, &drawn);
		clusters_add(c, row_of(c, CLUSTERS_BOOTSTRAP_LIMIT), 0, 0, 1);
		estimate(c, EXCESS, 3, &linear);
		clusters_estimate_linear(c, EXCESS, 3, &same);
		cr_assert_eq(linear.clusters, CLUSTERS_BOOTSTRAP_LIMIT + 1);
		cr_assert_eq(memcmp(&linear, &same, sizeof(same)), 0, "there is no draw");
		double width = linear.ci.high - linear.ci.low;
		off += ((drawn.ci.high - drawn.ci.low) / width - 1) / 3;
		low_off += (drawn.ci.low - linear.ci.low) / width / 3;
		high_off += (drawn.ci.high - linear.ci.high) / width / 3;
		clusters_destroy(c);
	}
	cr_expect_float_eq(off, 0, 0.05, "%f", off);
	cr_expect_float_eq(low_off, 0, 0.05, "%f", low_off);
	cr_expect_float_eq(high_off, 0, 0.05, "%f", high_off);
}

/* The number of 1,000 captures whose interval covers the mean, with skewed sizes and values. */
Test(clusters, means_of_few_unequal_clusters_are_covered)
{
	int covered = 0;
	state = 17;
	for (int i = 0; i < ROUNDS(1000); i++) {
		struct clusters *c = clusters_create(1);
		struct estimate e;
		for (uint64_t s = 0; s < 10; s++) {
			uint32_t row = row_of(c, s);
			double own = unit() + unit() + unit() - 1.5;
			for (int k = 0; k < 1 + (int)(6 * unit()); k++) {
				clusters_add(c, row, 0, own + unit() - 0.5, 1);
			}
		}
		estimate(c, ONE, 1, &e);
		covered += e.ci.low <= 0 && 0 <= e.ci.high;
		clusters_destroy(c);
	}
	cr_assert(covered >= ROUNDS(930) && covered <= ROUNDS(980), "%d of %d", covered,
	        ROUNDS(1000));
}

/* Trial and floors of 100 answers, as rare as one in a hundred. */
Test(clusters, a_sum_of_rare_rates_is_covered_also_where_nothing_happened)
{
	static const struct rate_term EXCESS[] = {{0, 0, 1}, {1, 1, -0.5}, {2, 2, -0.5}};
	int covered = 0, widthless = 0;
	state = 19;
	for (int i = 0; i < ROUNDS(1000); i++) {
		struct clusters *c = clusters_create(3);
		struct estimate e;
		for (uint64_t s = 0; s < 50; s++) {
			uint32_t row = row_of(c, s);
			for (int k = 0; k < 2; k++) {
				clusters_add(c, row, 0, unit() < 0.01, 1);
				clusters_add(c, row, 1, unit() < 0.004, 1);
				clusters_add(c, row, 2, unit() < 0.002, 1);
			}
		}
		clusters_estimate_rates(c, EXCESS, 3, &e);
		covered += e.ci.low <= 0.007 && 0.007 <= e.ci.high;
		widthless += e.ci.low >= e.ci.high;
		clusters_destroy(c);
	}
	cr_assert_geq(covered, ROUNDS(930), "%d of %d", covered, ROUNDS(1000));
	cr_assert_eq(widthless, 0);
}

Test(clusters, of_one_rate_the_sum_is_the_rate)
{
	static const struct rate_term ALONE[] = {{0, 0, 1}};
	struct clusters *c = excess(100);
	struct estimate rate, sum;
	clusters_estimate_rate(c, 0, &rate);
	clusters_estimate_rates(c, ALONE, 1, &sum);
	cr_assert_float_eq(sum.ci.low, rate.ci.low, 1e-12);
	cr_assert_float_eq(sum.ci.high, rate.ci.high, 1e-12);
	clusters_destroy(c);
}

/* The share of simulated captures whose interval contains the true value. */
static double coverage(double rate, size_t sessions, int turns)
{
	int covered = 0;
	for (int i = 0; i < ROUNDS(1000); i++) {
		struct clusters *c = clusters_create(1);
		for (uint64_t s = 0; s < sessions; s++) {
			double own = rate * (unit() < 0.5 ? 0.2 : 1.8);
			for (int t = 0; t < turns; t++) {
				clusters_add(c, row_of(c, s), 0, unit() < own, 1);
			}
		}
		struct estimate e;
		clusters_estimate_rate(c, 0, &e);
		covered += e.ci.low <= rate && rate <= e.ci.high;
		clusters_destroy(c);
	}
	return covered / (double)ROUNDS(1000);
}

Test(clusters, rates_are_covered_also_when_hardly_anything_happens)
{
	static const struct {
		double rate;
		size_t sessions;
		int turns;
	} CASES[] = {{0.2, 60, 4}, {0.05, 200, 3}, {0.01, 100, 3}, {0.002, 200, 2}, {0.5, 30, 5}};
	state = 7;
	for (size_t i = 0; i < ARRAY_LEN(CASES); i++) {
		double share = coverage(CASES[i].rate, CASES[i].sessions, CASES[i].turns);
		cr_expect_geq(share, 0.93, "case %zu: %f", i, share);
	}
}

/* A draw of the beta distribution with that mean and b = 4: the chance of one session, correlation 0.2. */
static double chance_of_session(double mean)
{
	double p = 1, a = 4 * mean / (1 - mean);
	for (int i = 0; i < 4; i++) {
		p *= pow(1 - unit(), 1 / (a + i));
	}
	return p;
}

/* Few sessions are large, and answers of one session go together. */
static bool rare_rate_is_covered(double rate, size_t pairs)
{
	struct clusters *c = clusters_create(1);
	for (size_t n = 0, s = 0; n < pairs; s++) {
		size_t size = (size_t)fmin(40, pow(1 - unit(), -1 / 1.3));
		double own = chance_of_session(rate);
		for (size_t t = 0; t < size && n < pairs; t++, n++) {
			clusters_add(c, row_of(c, s), 0, unit() < own, 1);
		}
	}
	struct estimate e;
	clusters_estimate_rate(c, 0, &e);
	clusters_destroy(c);
	return e.ci.low <= rate && rate <= e.ci.high;
}

Test(clusters, few_events_in_a_handful_of_large_sessions_do_not_pass_for_a_low_rate)
{
	int covered = 0;
	state = 11;
	for (int i = 0; i < ROUNDS(1000); i++) {
		covered += rare_rate_is_covered(0.01, 1000);
	}
	cr_expect_geq(covered, ROUNDS(930), "%d of %d", covered, ROUNDS(1000));
}

Test(clusters, one_cluster_has_no_interval)
{
	struct clusters *c = clusters_create(1);
	struct estimate e;
	estimate(c, ONE, 1, &e);
	cr_assert(isnan(e.value));
	clusters_add(c, row_of(c, 1), 0, 1, 4);
	estimate(c, ONE, 1, &e);
	cr_assert_float_eq(e.value, 0.25, 1e-12);
	cr_assert(isnan(e.ci.low));
	clusters_destroy(c);
}

Test(clusters, all_at_once_is_the_same_as_one_by_one)
{
	struct clusters *c = excess(400);
	struct estimate each[3], one;
	clusters_estimate_each(c, 3, each);
	for (size_t f = 0; f < 3; f++) {
		struct term term = {f, 1};
		estimate(c, &term, 1, &one);
		cr_assert_eq(memcmp(&each[f], &one, sizeof(one)), 0, "figure %zu", f);
	}
	clusters_destroy(c);
}

Test(clusters, more_than_the_limit_are_grouped_and_the_error_stays)
{
	struct clusters *all = clusters_create_limited(1, 32768);
	struct clusters *few = clusters_create_limited(1, 1024);
	state = 11;
	for (uint64_t i = 0; i < 20000; i++) {
		double part = unit() < 0.1;
		uint64_t key = (uint64_t)(unit() * 0x1p52);
		clusters_add(all, row_of(all, key), 0, part, 1);
		clusters_add(few, row_of(few, key), 0, part, 1);
	}
	struct estimate exact, folded;
	clusters_estimate_linear(all, ONE, 1, &exact);
	clusters_estimate_linear(few, ONE, 1, &folded);
	cr_assert(clusters_are_grouped(few) && !clusters_are_grouped(all));
	cr_assert_eq(folded.value, exact.value);
	cr_assert_float_eq(folded.error / exact.error, 1, 0.08, "%f", folded.error / exact.error);
	cr_assert_leq(folded.clusters, 1024);
	clusters_destroy(all);
	clusters_destroy(few);
}

Test(clusters, groups_merge_whichever_side_is_grouped)
{
	struct clusters *a = clusters_create_limited(1, 64), *b = clusters_create_limited(1, 64);
	for (uint64_t i = 0; i < 1000; i++) {
		clusters_add(a, row_of(a, i * 77), 0, i % 2, 1);
	}
	for (uint64_t i = 0; i < 30; i++) {
		clusters_add(b, row_of(b, i), 0, 1, 1);
	}
	clusters_merge(&b, a);
	struct ratio total = clusters_total(b, 0);
	cr_assert(total.part == 530 && total.whole == 1030 && clusters_are_grouped(b));
	clusters_destroy(a);
	clusters_destroy(b);
}

/* 60 small sessions and 6 large ones, with equal or independent answers. */
static double freedom_where(bool alike)
{
	struct clusters *c = clusters_create(1);
	struct estimate e;
	for (uint64_t s = 0; s < 66; s++) {
		uint32_t row = row_of(c, s);
		double size = s < 6 ? 30 : 1, hits = alike ? size * (double)(s % 2) : size / 2;
		/* Independent answers of a session stray by the root of their number. */
		hits += alike ? 0 : (s % 2 ? 0.5 : -0.5) * sqrt(size);
		clusters_add(c, row, 0, hits, size);
	}
	clusters_estimate_linear(c, &(struct term){0, 1}, 1, &e);
	clusters_destroy(c);
	return e.freedom;
}

Test(clusters, large_sessions_are_few_degrees_of_freedom_the_more_so_if_their_answers_are_alike)
{
	/* (60 + 180)^2 / (60 + 5400) - 1, by sizes alone; 6 clusters, where they make all of the variance. */
	cr_assert_float_eq(freedom_where(false), 240.0 * 240 / 5460 - 1, 0.05);
	cr_assert_float_eq(freedom_where(true), 5, 0.5);
}

/* Events, which answers have one of at most. */
static const struct counted EVENTS = {0, 1, false, false};

Test(clusters, partings_have_the_exact_interval_of_their_count)
{
	struct clusters *c = clusters_create(2);
	for (uint64_t i = 0; i < 100; i++) {
		uint32_t row = row_of(c, i);
		clusters_add(c, row, 0, i < 7, 1000);
		clusters_add(c, row, 1, 0, 1);
	}
	struct estimate e;
	clusters_estimate_counted(c, &EVENTS, &e);
	/* Mid-P of 7 in 100,000, a hair wider: of 100 clusters the error has 99 degrees of freedom. */
	cr_assert_float_eq(e.ci.low * 1e5, 3.0616, 0.06);
	cr_assert_float_eq(e.ci.high * 1e5, 13.8466, 0.15);
	struct clusters *none = clusters_create(2);
	for (uint64_t i = 0; i < 100; i++) {
		uint32_t row = row_of(none, i % 50);
		clusters_add(none, row, 0, 0, 1000);
		clusters_add(none, row, 1, 0, 1);
	}
	clusters_estimate_counted(none, &EVENTS, &e);
	cr_assert_eq(e.ci.low, 0);
	cr_assert_float_eq(e.ci.high * 1e5, 2 * 2.99573, 0.01, "two answers a cluster count once");
	clusters_destroy(c);
	clusters_destroy(none);
}

Test(clusters, partings_are_covered)
{
	int covered = 0;
	state = 13;
	for (int i = 0; i < ROUNDS(1000); i++) {
		struct clusters *c = clusters_create(2);
		for (uint64_t s = 0; s < 150; s++) {
			uint32_t row = row_of(c, s);
			uint64_t at = 0;
			bool parts = false;
			while (at < 40 && !parts) {
				at++;
				parts = unit() < 0.005;
			}
			clusters_add(c, row, 0, parts, (double)at);
			clusters_add(c, row, 1, 0, 1);
		}
		struct estimate e;
		clusters_estimate_counted(c, &EVENTS, &e);
		covered += e.ci.low <= 0.005 && 0.005 <= e.ci.high;
		clusters_destroy(c);
	}
	cr_assert(covered >= ROUNDS(930) && covered <= ROUNDS(975), "%d of %d", covered,
	        ROUNDS(1000));
}

Test(clusters, grouped_they_still_know_how_many_there_were)
{
	struct clusters *apart = clusters_create(1), *halves[2];
	for (size_t i = 0; i < 2; i++) {
		halves[i] = clusters_create(1);
	}
	cr_expect_eq(clusters_number(NULL), 0);
	for (uint64_t i = 0; i < 3000; i++) {
		clusters_row(apart, (const uint8_t[CLUSTERS_KEY_SIZE]){0});
		row_of(apart, i % 1000);
	}
	cr_expect_eq(clusters_number(apart), 1000);
	for (uint64_t i = 0; i < 400000; i++) {
		row_of(halves[0], i % 200000);
		row_of(halves[1], i % 200000 + 100000);
	}
	cr_assert(clusters_are_grouped(halves[0]));
	cr_expect_float_eq(clusters_number(halves[0]), 200000, 10000);
	clusters_merge(&halves[0], halves[1]);
	cr_expect_float_eq(clusters_number(halves[0]), 300000, 15000);
	clusters_merge(&apart, halves[1]);
	cr_expect_float_eq(clusters_number(apart), 201000, 10000);
	clusters_destroy(apart);
	clusters_destroy(halves[0]);
	clusters_destroy(halves[1]);
}
