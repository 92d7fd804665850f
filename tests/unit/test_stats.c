#include "analyzer/stats/stats.h"

#include <criterion/criterion.h>
#include <math.h>

Test(stats, wilson_matches_published_values)
{
	struct interval i = stats_wilson(5, 50);
	cr_assert_float_eq(i.low, 0.04348, 5e-6);
	cr_assert_float_eq(i.high, 0.21360, 5e-6);
	i = stats_wilson(0, 50);
	cr_assert_eq(i.low, 0);
	cr_assert_float_eq(i.high, 0.07135, 5e-6);
	i = stats_wilson(50, 50);
	cr_assert_float_eq(i.low, 1 - 0.07135, 5e-6);
	cr_assert_eq(i.high, 1);
}

Test(stats, without_data_a_rate_may_be_anything)
{
	struct interval i = stats_wilson(0, 0);
	cr_assert_eq(i.low, 0);
	cr_assert_eq(i.high, 1);
}

Test(stats, poisson_matches_published_values)
{
	struct interval i = stats_poisson(7);
	cr_assert_float_eq(i.low, 2.81436, 1e-5);
	cr_assert_float_eq(i.high, 14.42268, 1e-5);
	i = stats_poisson(0);
	cr_assert_eq(i.low, 0);
	cr_assert_float_eq(i.high, 3.68888, 1e-5);
}

Test(stats, poisson_holds_for_large_counts)
{
	/* 1/2 chi2(0.025; 2e5) and 1/2 chi2(0.975; 2e5 + 2). */
	struct interval i = stats_poisson(100000);
	cr_assert_float_eq(i.low, 99381.15266, 1e-4);
	cr_assert_float_eq(i.high, 100621.74474, 1e-4);
}

Test(stats, moments_are_exact)
{
	struct moments m = {0};
	cr_assert(isnan(moments_mean(&m)));
	cr_assert(isnan(moments_rms(&m)));
	moments_add(&m, 3);
	moments_add(&m, -4);
	cr_assert_float_eq(moments_mean(&m), -0.5, 1e-15);
	cr_assert_float_eq(moments_rms(&m), sqrt(12.5), 1e-15);
}
