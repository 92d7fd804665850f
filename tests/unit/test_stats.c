#include "analyzer/stats/stats.h"

#include <criterion/criterion.h>
#include <math.h>

Test(stats, moments_are_exact)
{
	struct moments m = {0};
	cr_assert(isnan(moments_mean(&m)));
	cr_assert(isnan(moments_rms(&m)));
	moments_add(&m, 3);
	moments_add(&m, -4);
	cr_assert_float_eq(moments_mean(&m), -0.5, 1e-15);
	cr_assert_float_eq(moments_rms(&m), sqrt(12.5), 1e-15);
	cr_assert_float_eq(moments_variance(&m), 24.5, 1e-13);
}

Test(stats, a_value_that_is_not_finite_leaves_no_figure)
{
	struct moments m = {0};
	moments_add(&m, 3);
	moments_add(&m, INFINITY);
	cr_assert(isnan(moments_mean(&m)));
	cr_assert(isnan(moments_variance(&m)));
}
