#include <math.h>

#include <criterion/criterion.h>

#include "analyzer/report/policy/difference.h"

static struct metric_value figure(double value, double low, double high, double clusters)
{
	return (struct metric_value){
	        .value = value, .low = low, .high = high, .n = clusters, .clusters = clusters};
}

static struct difference between(struct metric_value before, struct metric_value after)
{
	return difference_of(&before, &after);
}

#define NEAR(a, b, e)                                                                              \
	cr_assert_float_eq((a), (b), (e), "%.8g is not %.8g", (double)(a), (double)(b))

Test(difference, of_two_rates_is_newcombe_s)
{
	/* Newcombe 1998, table II, example (a), method 10 (Wilson's intervals): 56/70 - 48/80. */
	struct difference d = between(figure(0.6, 0.490454650, 0.700381724, 1e6),
	        figure(0.8, 0.691833555, 0.876952608, 1e6));
	NEAR(d.change.value, 0.2, 1e-12);
	NEAR(d.change.low, 0.0524, 1e-4);
	NEAR(d.change.high, 0.3339, 1e-4);
}

Test(difference, of_symmetric_intervals_is_the_usual_one)
{
	double a = 1.959963984540054 * 0.1, b = 1.959963984540054 * 0.2;
	struct difference d =
	        between(figure(1, 1 - a, 1 + a, 1e6), figure(1.5, 1.5 - b, 1.5 + b, 1e6));
	NEAR(d.change.low, 0.5 - 1.959963984540054 * sqrt(0.05), 1e-12);
	NEAR(d.change.high, 0.5 + 1.959963984540054 * sqrt(0.05), 1e-12);
	NEAR(d.p, 0.02534732, 1e-8); /* 2 (1 - Phi(0.5 / sqrt(0.05))) */
}

Test(difference, turns_round_with_its_sides)
{
	struct metric_value a = figure(0.02, 0.01, 0.05, 300), b = figure(0.1, 0.07, 0.16, 200);
	struct difference there = between(a, b), back = between(b, a);
	NEAR(there.change.value, -back.change.value, 1e-12);
	NEAR(there.change.low, -back.change.high, 1e-12);
	NEAR(there.change.high, -back.change.low, 1e-12);
	NEAR(there.p, back.p, 1e-12);
}

Test(difference, is_shown_exactly_where_its_interval_does_not_hold_0)
{
	for (int i = 0; i < 200; i++) {
		double at = 0.05 + 0.0005 * i;
		struct difference d = between(
		        figure(0.05, 0.03, 0.08, 1e6), figure(at, at - 0.02, at + 0.03, 1e6));
		cr_assert_eq(
		        d.p<0.05, d.change.low> 0 || d.change.high < 0, "at %g p is %g", at, d.p);
	}
}

Test(difference, few_clusters_never_show_much)
{
	struct difference d = between(figure(0, 0, 0, 5), figure(1, 1, 1, 1000));
	NEAR(d.p, 1.0 / 16, 1e-12);
	NEAR(d.change.low, 1, 1e-12);
	NEAR(between(figure(0, 0, 0, 1000), figure(1, 1, 1, 1000)).p, 0, 1e-12);
	NEAR(between(figure(2, 2, 2, 1000), figure(2, 2, 2, 1000)).p, 1, 1e-12);
	NEAR(between(figure(0, 0, 0, 0), figure(1, 1, 1, 9)).p, 1, 1e-12);
}

Test(difference, of_ranges_is_shown_only_where_they_lie_apart)
{
	struct metric_value before = figure(0.10, 0.05, 0.45, 100),
	                    after = figure(0.30, 0.2, 0.9, 100);
	before.is_range = after.is_range = true;
	before.most = 0.40;
	before.least_high = 0.15;
	before.most_low = 0.35;
	after.most = 0.80;
	after.least_high = 0.4;
	after.most_low = 0.7;
	struct difference d = between(before, after);
	cr_expect_float_eq(d.change.value, -0.10, 1e-12);
	cr_expect_float_eq(d.change.most, 0.70, 1e-12);
	cr_expect_lt(d.change.low, -0.10);
	cr_expect_gt(d.change.high, 0.70);
	cr_expect_eq(d.p, 1, "the undecided may account for all of it");
	after.value = 0.70;
	after.low = 0.6;
	after.least_high = 0.8;
	d = between(before, after);
	cr_expect_float_eq(d.change.value, 0.30, 1e-12);
	cr_expect_gt(d.change.low, 0);
	cr_expect_lt(d.p, 0.01);
	struct difference back = between(after, before);
	cr_expect_float_eq(back.change.most, -0.30, 1e-12);
	cr_expect_float_eq(back.p, d.p, 1e-9);
}

Test(difference, without_an_interval_there_is_no_test)
{
	struct difference d = between(figure(1, NAN, NAN, 1), figure(3, 2, 4, 10));
	cr_assert(d.change.value == 2 && isnan(d.change.low) && isnan(d.change.high) && isnan(d.p));
}
