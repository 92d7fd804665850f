#include "analyzer/fold/first_differences.h"

#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/compare/tokens/first_difference_kind.h"

static uint64_t state = 5;

static double unit(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (double)((state >> 11) + 1) * 0x1p-53;
}

static void put(struct first_differences *f, double shift)
{
	first_differences_add(
	        f, &(struct first){.test_gap = shift / 2, .base_gap = shift / 2, .shift = shift});
}

static struct first_differences exponential(size_t n, double mean)
{
	struct first_differences f = {0};
	for (size_t i = 0; i < n; i++) {
		put(&f, -mean * log(unit()));
	}
	return f;
}

Test(first_differences, noise_alone_gives_no_shifts)
{
	int with_shifts = 0;
	for (int i = 0; i < 200; i++) {
		struct first_differences f = exponential(300, 0.1), floor = exponential(400, 0.1);
		struct first_differences_verdict v;
		first_differences_judge(&f, 0.001, &floor, &v);
		cr_assert_eq(v.n[FIRST_TIE] + v.n[FIRST_DRIFT] + v.n[FIRST_SHIFT], 300);
		with_shifts += v.n[FIRST_SHIFT] > 0;
		first_differences_finish(&f);
		first_differences_finish(&floor);
	}
	cr_assert_leq(with_shifts, 20, "%d of 200: the false discovery rate is 5 %%", with_shifts);
}

Test(first_differences, of_what_is_called_a_shift_a_twentieth_is_noise)
{
	double noise = 0;
	for (int i = 0; i < 200; i++) {
		struct first_differences f = exponential(200, 0.02), floor = exponential(400, 0.02);
		struct first_differences_verdict v;
		for (int k = 0; k < 100; k++) {
			put(&f, 1 + unit());
		}
		first_differences_judge(&f, 0.001, &floor, &v);
		cr_assert_geq(v.n[FIRST_SHIFT], 100);
		cr_assert(v.threshold > 0.02 && v.threshold < 1.5);
		noise += (double)(v.n[FIRST_SHIFT] - 100) / (double)v.n[FIRST_SHIFT] / 200;
		first_differences_finish(&f);
		first_differences_finish(&floor);
	}
	cr_assert_leq(noise, FIRST_DIFFERENCES_DISCOVERY, "%f", noise);
}

Test(first_differences, without_enough_of_a_floor_it_is_unknown_but_ties_are_ties)
{
	struct first_differences f = {0}, floor = exponential(FIRST_FLOOR_LEAST - 1, 0.02);
	struct first_differences_verdict v;
	put(&f, 0.002);
	put(&f, 3);
	first_differences_add(&f, &(struct first){.shift = NAN});
	first_differences_add(&f, &(struct first){.shift = 1, .test_censored = true});
	first_differences_judge(&f, 0.001, &floor, &v);
	cr_assert(v.n[FIRST_TIE] == 1 && v.n[FIRST_UNKNOWN] == 2 && v.n[FIRST_FOREIGN] == 1);
	cr_assert(isnan(v.threshold) && v.floor_n == FIRST_FLOOR_LEAST - 1);
	cr_assert_eq(first_differences_total(&f), 4);
	first_differences_finish(&f);
	first_differences_finish(&floor);
}

Test(first_differences, a_choice_against_the_own_list_is_no_tie)
{
	/* On both sides b is a nat more probable than a, but the primary chose a. */
	struct columns_builder *p = columns_builder_create(), *r = columns_builder_create();
	struct columns test, base;
	columns_builder_token(p, span_of("a"), -1, -1.5f, 0);
	columns_builder_token(r, span_of("b"), -1, -0.5f, 0);
	for (int i = 0; i < 2; i++) {
		columns_builder_top(i ? p : r, span_of("b"), -1, -0.5f);
		columns_builder_top(i ? p : r, span_of("a"), -1, -1.5f);
	}
	columns_builder_end(p, &test);
	columns_builder_end(r, &base);
	struct first f;
	struct listing t = listing_at(&test, 0), b = listing_at(&base, 0);
	first_find(&b, &t, &f);
	cr_assert_float_eq(f.test_gap, -1, 1e-6);
	cr_assert_float_eq(f.shift, 1, 1e-6, "the choice moved by at least a nat");
	struct first_scale scale = {.sigma = 0.01, .floor = 0.2};
	cr_assert_eq(first_judge(&f, &scale), FIRST_SHIFT);
	columns_finish(&test);
	columns_finish(&base);
}
