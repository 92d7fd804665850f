#include "analyzer/stats/distribution.h"
#include "analyzer/stats/proportion.h"

#include <math.h>

#include <criterion/criterion.h>

#include "base/multiple_testing.h"

/* Reference values: exact sums and formulas in Python; intervals of scipy.stats. */

Test(proportion, normal)
{
	cr_assert_float_eq(distribution_normal_below(1.959963984540054), 0.975, 1e-12);
	cr_assert_float_eq(distribution_normal_below(-0.05 / 0.03 * M_SQRT1_2), 0.11929, 1e-5);
	cr_assert_float_eq(distribution_normal_quantile(0.975), 1.959963984540054, 1e-9);
	cr_assert_float_eq(distribution_normal_quantile(1e-9), -5.997807015008182, 1e-6);
}

Test(proportion, mcnemar_is_exact_and_two_sided)
{
	cr_assert_float_eq(proportion_mcnemar(8, 2), 0.109375, 1e-9);
	cr_assert_float_eq(proportion_mcnemar(15, 4), 0.0192108, 1e-7);
	cr_assert_float_eq(proportion_mcnemar(4, 15), 0.0192108, 1e-7);
	cr_assert_eq(proportion_mcnemar(0, 0), 1);
	cr_assert_float_eq(proportion_mcnemar(5, 5), 1, 1e-12);
	cr_assert_float_eq(proportion_mcnemar(300, 200), 8.9e-6, 1e-6);
}

Test(proportion, fisher_is_exact_and_of_one_side)
{
	cr_assert_float_eq(proportion_fisher_above(10, 10, 1, 10), 11.0 / 184756, 1e-12);
	cr_assert_float_eq(
	        proportion_fisher_above(3, 4, 1, 4), 17.0 / 70, 1e-12); /* the lady's tea */
	cr_assert_float_eq(proportion_fisher_above(4, 10, 1, 10), 0.1517027863777090, 1e-12);
	cr_assert_float_eq(proportion_fisher_above(0, 10, 5, 10), 1, 1e-12);
	cr_assert_float_eq(proportion_fisher_above(10, 10, 10, 10), 1, 1e-12);
	cr_assert_eq(proportion_fisher_above(0, 0, 0, 0), 1);
}

Test(proportion, mid_p_matches_published_values)
{
	struct interval i = proportion_mid_p(0, 50, 0.05);
	cr_assert_eq(i.low, 0);
	cr_assert_float_eq(i.high, 0.05815507911697221, 1e-12);
	i = proportion_mid_p(5, 50, 0.05);
	cr_assert_float_eq(i.low, 0.037572429983561584, 1e-12);
	cr_assert_float_eq(i.high, 0.20779127065894773, 1e-12);
	i = proportion_mid_p(50, 50, 0.05);
	cr_assert_float_eq(i.low, 0.9418449208830277, 1e-12);
	cr_assert_eq(i.high, 1);
	i = proportion_mid_p(7, 100000, 0.05);
	cr_assert_float_eq(i.low, 3.0616387801955695e-05, 1e-12);
	cr_assert_float_eq(i.high, 0.00013846599392701114, 1e-12);
}

Test(proportion, student)
{
	cr_assert_float_eq(distribution_student_quantile(0.975, 1), 12.706204736432095, 1e-9);
	cr_assert_float_eq(distribution_student_quantile(0.975, 2.5), 3.5746548420118773, 1e-9);
	cr_assert_float_eq(distribution_student_quantile(0.005, 30), -2.7499956535670305, 1e-9);
	cr_assert_float_eq(distribution_student_quantile(0.975, 1e6), 1.9599663568141066, 3e-6);
	cr_assert_float_eq(distribution_student_below(2.2621571627409915, 9), 0.975, 1e-9);
	cr_assert_float_eq(distribution_student_below(0, 3), 0.5, 1e-12);
}

Test(proportion, holm_leaves_out_what_was_not_tested)
{
	double holm[] = {0.01, 0.04, NAN, 0.03, 0.005};
	multiple_testing_holm(holm, 5);
	cr_assert_float_eq(holm[0], 0.03, 1e-12);
	cr_assert_float_eq(holm[1], 0.06, 1e-12);
	cr_assert(isnan(holm[2]));
	cr_assert_float_eq(holm[3], 0.06, 1e-12);
	cr_assert_float_eq(holm[4], 0.02, 1e-12);

	multiple_testing_holm(holm, 0);
}

Test(proportion, a_rate_that_rises_with_the_level)
{
	double scores[] = {0, 1, 2, 3}, z;
	uint64_t n[] = {100, 100, 100, 100}, rising[] = {10, 14, 18, 26}, flat[] = {10, 10, 10, 10};
	double p = proportion_trend(scores, rising, n, 4, &z);
	cr_assert_float_eq(z, 3.095457, 1e-5);
	cr_assert_float_eq(p, 0.00196510, 1e-7);
	cr_assert_float_eq(proportion_trend(scores, flat, n, 4, &z), 1, 1e-12);
	cr_assert_eq(proportion_trend(scores, flat, n, 0, &z), 1);
	uint64_t none[] = {0, 0, 0, 0};
	cr_assert_eq(proportion_trend(scores, none, n, 4, &z), 1);
	cr_assert_eq(z, 0);
}
