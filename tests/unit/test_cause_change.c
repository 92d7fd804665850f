#include "analyzer/causes/cause_change.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "seeded.h"

#define SECOND UINT64_C(1000000000)
#define BEGAN (UINT64_C(1790000000) * SECOND)

static struct id id_of(uint64_t n)
{
	struct id id = {{0}};
	for (int i = 0; i < 8; i++) {
		id.bytes[i] = (uint8_t)(n >> (56 - 8 * i));
	}
	return id;
}

static void add(struct timeline *t, uint64_t wall_ns, bool differs, struct id exchange)
{
	const struct timeline_answer answer = {
	        .time = wall_ns >> CAUSE_TIME_SHIFT, .exchange = exchange, .differs = differs};
	timeline_add(t, CAUSE_TIME_BINS, &answer);
}

/* One answer a second; the share of differing answers changes at the change point. */
static void fill(struct timeline *t, uint64_t n, uint64_t change, double before, double after)
{
	for (uint64_t i = 0; i < n; i++) {
		double share = i < change ? before : after;
		bool hit = (double)(rnd() >> 11) * 0x1p-53 < share;
		add(t, BEGAN + i * SECOND, hit, id_of(i + 1));
	}
}

Test(cause_change, a_change_is_found_near_where_it_was)
{
	for (uint64_t at = 100; at < 400; at += 100) {
		struct timeline t = {0};
		struct cause_change c;
		fill(&t, 500, at, 0.02, 0.3);
		cause_change_find(&t, 1, &c);
		cr_assert_lt(c.p, 1e-3);
		double seconds = (double)(c.wall_ns - BEGAN) / (double)SECOND;
		cr_assert_float_eq(seconds, (double)at, 40, "%g, not %g", seconds, (double)at);
		cr_assert_gt((double)c.after_hits / (double)c.after_n, 0.2);
		timeline_finish(&t);
	}
}

Test(cause_change, a_thousand_captures_without_a_change_raise_at_most_ten_alarms)
{
	int alarms = 0;
	for (int i = 0; i < 1000; i++) {
		struct timeline t = {0};
		struct cause_change c;
		fill(&t, 300, 0, 0, 0.02 + 0.3 * (double)(i % 10) / 10);
		cause_change_find(&t, 1, &c);
		alarms += c.p < 0.01;
		timeline_finish(&t);
	}
	cr_assert_leq(alarms, 10, "%d", alarms);
}

/* Prompts that always differ come in bursts: neighbouring answers go together. */
static int alarms_of_bursts(double alike)
{
	int alarms = 0;
	for (int i = 0; i < 300; i++) {
		struct timeline t = {0};
		struct cause_change c;
		for (uint64_t n = 0; n < 600;) {
			bool hit = below(10) == 0;
			for (uint64_t len = 1 + below(10); len > 0; len--) {
				add(&t, BEGAN + n * SECOND, hit, id_of(n + 1));
				n++;
			}
		}
		cause_change_find(&t, alike, &c);
		alarms += c.p < 0.01;
		timeline_finish(&t);
	}
	return alarms;
}

Test(cause_change, bursts_are_no_change)
{
	/* The mean of the squares of 1 to 10 over the mean: as clusters tell. */
	int alarms = alarms_of_bursts(7);
	cr_assert_leq(alarms, 3, "%d", alarms);
	/* Without clusters it is guessed from neighbours. */
	alarms = alarms_of_bursts(1);
	cr_assert_leq(alarms, 30, "%d", alarms);
}

Test(cause_change, too_little_says_nothing)
{
	struct timeline t = {0};
	struct cause_change c;
	cause_change_find(&t, 1, &c);
	cr_assert(isnan(c.p));
	fill(&t, 1000, 999, 0, 1);
	cause_change_find(&t, 1, &c);
	cr_assert(isnan(c.p));
	timeline_finish(&t);
	fill(&t, 30, 15, 0, 1);
	cause_change_find(&t, 1, &c);
	cr_assert(isnan(c.p));
	timeline_finish(&t);
}

Test(cause_change, any_order_gives_the_same_bins)
{
	struct timeline one = {0}, other = {0};
	const uint64_t n = 5000;
	for (uint64_t i = 0; i < n; i++) {
		/* 3637 has no divisor in common with n: each once, in disorder. */
		uint64_t k = i * 3637 % n;
		bool hit = k % 7 == 0;
		add(&one, BEGAN + i * SECOND, i % 7 == 0, id_of(i + 1));
		add(&other, BEGAN + k * SECOND, hit, id_of(k + 1));
	}
	cr_assert_leq(one.n, CAUSE_TIME_BINS);
	cr_assert_eq(one.n, other.n);
	cr_assert_eq(one.shift, other.shift);
	cr_assert_eq(memcmp(one.bins, other.bins, one.n * sizeof(*one.bins)), 0);
	timeline_finish(&one);
	timeline_finish(&other);
}

Test(cause_change, clocks_that_jump_cost_no_more_than_bins)
{
	struct timeline t = {0};
	for (uint64_t i = 0; i < 4000; i++) {
		add(&t, rnd(), i % 3 == 0, id_of(i + 1));
	}
	add(&t, 0, true, id_of(1));
	add(&t, UINT64_MAX, true, id_of(2));
	uint64_t total = 0;
	for (size_t i = 0; i < t.n; i++) {
		total += t.bins[i].n;
	}
	cr_assert(t.n <= CAUSE_TIME_BINS && total == 4002);
	struct cause_change c;
	cause_change_find(&t, 1, &c);
	cr_assert(c.p > 0.01);
	timeline_finish(&t);
}
