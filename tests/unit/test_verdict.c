#include "analyzer/fold/verdict.h"

#include <math.h>

#include <criterion/criterion.h>

#include "analyzer/stats/proportion.h"

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

Test(verdict, two_deciding_figures_are_the_same_only_if_both_are)
{
	cr_assert_eq(verdict_join(VERDICT_SAME, VERDICT_SAME), VERDICT_SAME);
	cr_assert_eq(verdict_join(VERDICT_SAME, VERDICT_UNCLEAR), VERDICT_UNCLEAR);
	cr_assert_eq(verdict_join(VERDICT_UNCLEAR, VERDICT_SAME), VERDICT_UNCLEAR);
	cr_assert_eq(verdict_join(VERDICT_DIFFERENT, VERDICT_SAME), VERDICT_DIFFERENT);
	cr_assert_eq(verdict_join(VERDICT_UNCLEAR, VERDICT_DIFFERENT), VERDICT_DIFFERENT);
}

/* A group with scores: k3 with its interval, from so many prompts. */
static struct verdict of_scores(double low, double value, double high, size_t prompts, double floor)
{
	struct analysis_group g = {.base = "trusted", .test = "prod"};
	struct score_excess *e = &g.scores.excess;
	struct verdict v;
	*e = (struct score_excess){
	        .answers = prompts,
	        .k3 = {.n = 100, .value = value, .ci = {low, high}, .clusters = prompts},
	        .floor = floor,
	        .over = {.value = value - floor, .ci = {low - floor, high - floor}},
	};
	verdict_of_group(&g, &v);
	return v;
}

Test(verdict, k3_over_its_floor_decides_sampled_answers)
{
	cr_assert_eq(of_scores(0.02, 0.03, 0.04, 50, 0.001).word, VERDICT_DIFFERENT);
	cr_assert_eq(of_scores(0.001, 0.002, 0.003, 50, 0.001).word, VERDICT_SAME);
	cr_assert_eq(of_scores(0.001, 0.005, 0.009, 50, 0.001).word, VERDICT_UNCLEAR);
	cr_assert_eq(of_scores(0.02, 0.03, 0.04, 50, 0.001).decided_by, VERDICT_K3);
}

Test(verdict, without_a_floor_all_of_k3_may_be_noise)
{
	const struct verdict large = of_scores(0.02, 0.03, 0.04, 50, NAN);
	cr_assert_eq(large.word, VERDICT_UNCLEAR);
	cr_assert_eq(large.figures[VERDICT_K3].from, VERDICT_FLOOR_UNKNOWN);
	cr_assert_eq(large.figures[VERDICT_K3].over.ci.low, 0);
	cr_assert_eq(of_scores(0.001, 0.002, 0.003, 50, NAN).word, VERDICT_SAME);
}

Test(verdict, few_prompts_show_no_two_engines_to_be_the_same)
{
	const struct verdict few = of_scores(0, 0, 0, 10, NAN);
	cr_assert_eq(few.word, VERDICT_UNCLEAR);
	cr_assert_eq(few.needed, 20);
	cr_assert_eq(of_scores(0.1, 0.2, 0.3, 10, 0.001).word, VERDICT_DIFFERENT);
}

Test(verdict, without_a_difference_any_number_of_answers_asks_for_the_same_number)
{
	static const uint64_t NUMBERS[] = {5, 8, 30, 123, 148};
	struct verdict_figure f = {.from = VERDICT_FLOOR_MEASURED, .least_effect = 0.02};
	for (size_t i = 0; i < ARRAY_LEN(NUMBERS); i++) {
		f.value.ci = f.over.ci = proportion_rate(0, NUMBERS[i]);
		cr_assert_float_eq(verdict_needed(&f, (double)NUMBERS[i]), 149, 1e-9);
	}
	cr_assert_gt(proportion_rate(0, 148).high, f.least_effect);
	cr_assert_lt(proportion_rate(0, 149).high, f.least_effect);
	f.value.value = f.over.value = 0.01;
	f.value.ci = f.over.ci = (struct interval){0, 0.1};
	cr_assert_gt(verdict_needed(&f, 30), 2000, "with some, with its square root");
}
