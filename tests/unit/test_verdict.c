#include "analyzer/fold/verdict.h"

#include <math.h>

#include <criterion/criterion.h>

static struct verdict_figure over(double low, double high)
{
	return (struct verdict_figure){.over = {.ci = {low, high}}, .least_effect = 0.02};
}

static enum verdict_word decide(double low, double high)
{
	struct verdict_figure f = over(low, high);
	return verdict_decide(&f, false);
}

Test(verdict, the_interval_over_the_floor_is_compared_with_the_least_effect)
{
	cr_assert_eq(decide(0.021, 0.3), VERDICT_DIFFERENT);
	cr_assert_eq(decide(-0.01, 0.019), VERDICT_SAME);
	cr_assert_eq(decide(0, 0.02), VERDICT_UNCLEAR, "it does not end below");
	cr_assert_eq(decide(0.02, 0.5), VERDICT_UNCLEAR, "it does not begin above");
	cr_assert_eq(decide(-0.1, 0.5), VERDICT_UNCLEAR);
}

Test(verdict, less_may_differ_than_from_itself)
{
	cr_assert_eq(decide(-0.4, -0.3), VERDICT_SAME);
}

Test(verdict, without_an_interval_it_is_unclear)
{
	cr_assert_eq(decide(NAN, NAN), VERDICT_UNCLEAR);
}

Test(verdict, a_cause_that_is_proven_comes_first)
{
	struct verdict_figure same = over(-0.01, 0.01), unknown = over(NAN, NAN);
	cr_assert_eq(verdict_decide(&same, true), VERDICT_DIFFERENT);
	cr_assert_eq(verdict_decide(&unknown, true), VERDICT_DIFFERENT);
}
