#include "replay/schedule.h"

#include <math.h>

#include <criterion/criterion.h>

/* Mean and standard deviation of the gaps over n sends, in seconds. */
static void gaps(struct schedule *s, size_t n, double *ret_mean, double *ret_deviation)
{
	double sum = 0, squares = 0, last = (double)schedule_next(s) / 1e9;
	for (size_t i = 0; i < n; i++) {
		double at = (double)schedule_next(s) / 1e9, gap = at - last;
		cr_assert(gap >= 0);
		sum += gap;
		squares += gap * gap;
		last = at;
	}
	*ret_mean = sum / (double)n;
	*ret_deviation = sqrt(squares / (double)n - *ret_mean * *ret_mean);
}

Test(schedule, a_constant_rate_does_not_drift)
{
	struct schedule s;
	schedule_init(&s, 3, ARRIVALS_CONSTANT, 1, 0);
	uint64_t at = 0;
	for (size_t i = 0; i <= 3000000; i++) {
		at = schedule_next(&s);
	}
	cr_expect_float_eq((double)at / 1e9, 1e6, 1e-6);
}

Test(schedule, the_first_send_is_at_once)
{
	const enum arrivals all[] = {ARRIVALS_CONSTANT, ARRIVALS_POISSON, ARRIVALS_GAMMA};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct schedule s;
		schedule_init(&s, 10, all[i], 0.5, 1);
		cr_expect_eq(schedule_next(&s), 0);
	}
}

Test(schedule, poisson_gaps_have_the_deviation_of_their_mean)
{
	struct schedule s;
	double mean, deviation;
	schedule_init(&s, 200, ARRIVALS_POISSON, 1, 42);
	gaps(&s, 200000, &mean, &deviation);
	cr_expect_float_eq(mean * 200, 1, 0.01);
	cr_expect_float_eq(deviation / mean, 1, 0.02);
}

Test(schedule, burstiness_is_the_shape_of_gamma_gaps)
{
	const double shapes[] = {0.25, 0.5, 1, 4, 100};
	for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
		struct schedule s;
		double mean, deviation;
		schedule_init(&s, 50, ARRIVALS_GAMMA, shapes[i], 3);
		gaps(&s, 200000, &mean, &deviation);
		cr_expect_float_eq(mean * 50, 1, 0.02, "shape %g: mean %g", shapes[i], mean * 50);
		cr_expect_float_eq(
		        deviation / mean * sqrt(shapes[i]), 1, 0.03, "shape %g", shapes[i]);
	}
}

Test(schedule, the_same_seed_gives_the_same_times)
{
	struct schedule a, b, c;
	schedule_init(&a, 10, ARRIVALS_GAMMA, 0.5, 5);
	schedule_init(&b, 10, ARRIVALS_GAMMA, 0.5, 5);
	schedule_init(&c, 10, ARRIVALS_GAMMA, 0.5, 6);
	unsigned alike = 0;
	for (size_t i = 0; i < 100; i++) {
		uint64_t at = schedule_next(&a);
		cr_assert_eq(at, schedule_next(&b));
		alike += at == schedule_next(&c);
	}
	cr_expect_leq(alike, 1);
}

/* How many are meant to be sent in that second. */
static double in_second(double from, double to, double over, enum arrivals a, unsigned second)
{
	struct schedule s;
	double n = 0;
	uint64_t at;
	schedule_init(&s, from, a, 1, 9);
	schedule_ramp(&s, to, over);
	while ((at = schedule_next(&s)) < (second + 1) * UINT64_C(1000000000)) {
		n += at >= second * UINT64_C(1000000000) ? 1 : 0;
	}
	return n;
}

Test(schedule, a_ramp_goes_evenly_from_one_rate_to_the_other_and_stays_there)
{
	/* 100 to 1100 over 10 s: second i has 150 + 100 i. */
	for (unsigned i = 0; i < 10; i++) {
		cr_expect_float_eq(
		        in_second(100, 1100, 10, ARRIVALS_CONSTANT, i), 150 + 100 * i, 1.5);
	}
	cr_expect_float_eq(in_second(100, 1100, 10, ARRIVALS_CONSTANT, 10), 1100, 1.5);
	cr_expect_float_eq(in_second(100, 1100, 10, ARRIVALS_CONSTANT, 14), 1100, 1.5);
	cr_expect_float_eq(in_second(1100, 100, 10, ARRIVALS_CONSTANT, 0), 1050, 1.5);
	cr_expect_float_eq(in_second(1100, 100, 10, ARRIVALS_CONSTANT, 12), 100, 1.5);
	/* Random ones have its mean, and their own deviation of 23 to 33. */
	cr_expect_float_eq(in_second(100, 1100, 10, ARRIVALS_POISSON, 4), 550, 120);
	cr_expect_float_eq(in_second(100, 1100, 10, ARRIVALS_POISSON, 11), 1100, 170);
}

Test(schedule, a_ramp_between_equal_rates_is_that_rate)
{
	struct schedule a, b;
	schedule_init(&a, 7, ARRIVALS_CONSTANT, 1, 0);
	schedule_init(&b, 7, ARRIVALS_CONSTANT, 1, 0);
	schedule_ramp(&b, 7, 3);
	for (size_t i = 0; i < 100; i++) {
		cr_assert_float_eq((double)schedule_next(&a), (double)schedule_next(&b), 2);
	}
}

Test(schedule, knows_its_words)
{
	enum arrivals a;
	double b = 0;
	cr_expect(schedule_parse("gamma:0.5", &a, &b) && a == ARRIVALS_GAMMA && b == 0.5);
	cr_expect(schedule_parse("poisson", &a, &b) && a == ARRIVALS_POISSON);
	cr_expect(!schedule_parse("gamma", &a, &b));
	cr_expect(!schedule_parse("gamma:", &a, &b));
	cr_expect(!schedule_parse("gamma:0", &a, &b));
	cr_expect(!schedule_parse("gamma:nan", &a, &b));
	cr_expect(!schedule_parse("uniform", &a, &b));
}

Test(schedule, times_that_have_come_are_counted_as_they_are_given)
{
	struct schedule given, counted;
	schedule_init(&given, 50, ARRIVALS_POISSON, 1, 7);
	schedule_init(&counted, 50, ARRIVALS_POISSON, 1, 7);
	for (uint64_t n = 1; n <= 200; n++) {
		uint64_t at = schedule_next(&given);
		cr_expect(at == 0 || schedule_due(&counted, at - 1) == n - 1);
		cr_expect_eq(schedule_due(&counted, at), n);
		cr_expect_eq(schedule_due(&counted, at), n, "asked again");
	}
}
