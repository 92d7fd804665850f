#include "backends/injection/slowdown.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "base/buf.h"

static double uniform(void)
{
	return (rand() + 0.5) / (RAND_MAX + 1.0);
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* Log-normal times; sometimes an answer takes a hundred times as long. */
static double steady(void)
{
	return exp(0.3 * normal());
}

static double stalling(void)
{
	return exp(0.5 * normal()) * (uniform() < 0.05 ? 100 : 1);
}

static double two_loads(void)
{
	return exp(0.2 * normal()) * (uniform() < 0.5 ? 1 : 3);
}

static struct slowdown_ratio draw(struct slowdown *s, double (*time)(void), double slower)
{
	struct slowdown_ratio r;
	for (;;) {
		bool injected = uniform() < 0.9;
		if (slowdown_add(s, injected, time() * (injected ? slower : 1), &r)) {
			return r;
		}
	}
}

/* Counts the samples whose interval is above 1 + limit, and those that do not contain the true
 * value. */
static void count(double (*time)(void), double slower, double limit, unsigned n,
        unsigned *ret_above, unsigned *ret_missed)
{
	struct slowdown s = {0};
	*ret_above = *ret_missed = 0;
	for (unsigned i = 0; i < n; i++) {
		struct slowdown_ratio r = draw(&s, time, slower);
		cr_assert(r.low <= r.middle && r.middle <= r.high);
		*ret_above += r.low > 1 + limit;
		*ret_missed += r.low > slower || r.high < slower;
	}
	cr_assert_eq(s.rounds, n);
}

static double (*const times[])(void) = {steady, stalling, two_loads};

Test(slowdown, its_interval_misses_the_truth_once_in_a_hundred)
{
	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		unsigned above, missed;
		count(times[i], 1.5, 0, 2000, &above, &missed);
		/* 20 are expected; 0.99 of a binomial lies below 32. */
		cr_expect_leq(missed, 36, "%zu: %u of 2000", i, missed);
		cr_expect_geq(missed, 6, "%zu: %u of 2000", i, missed);
	}
}

Test(slowdown, alarms_hardly_ever_where_nothing_is_slower)
{
	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		unsigned above, missed;
		count(times[i], 1, 0.1, 2000, &above, &missed);
		cr_expect_leq(above, 10, "%zu: %u of 2000", i, above);
	}
	unsigned above, missed;
	count(steady, 1, 0.1, 2000, &above, &missed);
	cr_expect_leq(above, 1, "%u", above);
}

Test(slowdown, finds_what_takes_twice_as_long_in_the_first_sample)
{
	static const double least[] = {0.999, 0.99, 0.6};
	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		unsigned above, missed;
		count(times[i], 2, 0.1, 1000, &above, &missed);
		cr_expect_geq(above, 1000 * least[i], "%zu: %u of 1000", i, above);
	}
	unsigned above, missed;
	count(two_loads, 5, 0.1, 1000, &above, &missed);
	cr_expect_geq(above, 999, "%u", above);
}

Test(slowdown, samples_both_sides_from_the_same_stretch_of_time)
{
	/* The load doubles in the middle: without mixing, the last 50 with injection would all be
	 * slow. */
	unsigned above = 0;
	for (int round = 0; round < 200; round++) {
		struct slowdown s = {0};
		struct slowdown_ratio r = {0};
		for (int i = 0; i < 500; i++) {
			double time = steady() * (i < 250 ? 1 : 3);
			slowdown_add(&s, i % 10 != 9, time, &r);
		}
		cr_assert_eq(s.rounds, 1);
		above += r.low > 1.1;
	}
	cr_expect_leq(above, 4, "%u of 200", above);
}
