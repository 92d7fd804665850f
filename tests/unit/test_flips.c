#include "analyzer/compare/tokens/flips.h"

#include <math.h>

#include <criterion/criterion.h>

static uint64_t state = 5;

static double unit(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (double)((state >> 11) + 1) * 0x1p-53;
}

Test(flips, the_chance_is_that_of_a_normal_variable)
{
	double sigma = 0.03 * M_SQRT2;
	cr_assert_float_eq(flip_chance(0, sigma), 0.5, 1e-12);
	cr_assert_float_eq(flip_chance(0.02, sigma), 0.31868, 1e-5);
	cr_assert_float_eq(flip_chance(0.05, sigma), 0.11930, 1e-5);
	cr_assert_float_eq(flip_chance(0.1, sigma), 0.00921, 1e-5);
	cr_assert_eq(flip_chance(0.1, 0), 0);
	cr_assert_eq(flip_chance(0, 0), 0, "without noise nothing changes, not even a tie");
}

Test(flips, the_expectation_is_the_sum_of_the_chances)
{
	struct log_histogram f = {0}, half = {0};
	double exact = 0;
	for (int i = 0; i < 20000; i++) {
		double gap = -3 * log(unit());
		log_histogram_add(i % 2 ? &f : &half, gap);
		exact += flip_chance(gap, 0.1);
	}
	log_histogram_add(&f, 0);
	log_histogram_add(&f, NAN);
	log_histogram_merge(&f, &half);
	exact += 0.5;
	cr_assert_eq(log_histogram_count(&f), 20001);
	cr_assert_float_eq(flips_expected(&f, 0.1), exact, 0.005 * exact);
	cr_assert(isnan(flips_expected(&f, NAN)));
	cr_assert(isnan(flips_expected(&(struct log_histogram){0}, 0.1)));
}

Test(flips, a_few_more_than_expected_are_no_verdict)
{
	/* Of twice as many, 9 or more come with a chance of 0.028, 10 or more of 0.011. */
	cr_assert_eq(flips_judge(2.1, 4, 100000), FLIPS_NOISE);
	cr_assert_eq(flips_judge(2.1, 5, 100000), FLIPS_UNCERTAIN);
	cr_assert_eq(flips_judge(2.1, 9, 100000), FLIPS_UNCERTAIN);
	cr_assert_eq(flips_judge(2.1, 10, 100000), FLIPS_MORE);
	cr_assert_eq(flips_judge(0.01, 1, 100000), FLIPS_MORE);
	cr_assert_eq(flips_judge(0, 1, 100000), FLIPS_MORE);
}
