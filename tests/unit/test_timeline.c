#include "analyzer/stats/timeline.h"

#include <string.h>

#include <criterion/criterion.h>

#include "base/check.h"

#define BINS 96

static void add(struct timeline *t, uint64_t second, bool differs, bool changed)
{
	const struct timeline_answer answer = {second, {{0}}, differs, changed};
	timeline_add(t, BINS, &answer);
}

static uint64_t total(const struct timeline *t)
{
	uint64_t n = 0;
	for (size_t i = 0; i < t->n; i++) {
		n += t->bins[i].n;
	}
	return n;
}

Test(timeline, a_minute_is_shown_by_the_second)
{
	struct timeline t = {0};
	for (uint64_t s = 0; s < 60; s++) {
		add(&t, (1000 + s), s >= 30, s >= 50);
	}
	cr_assert_eq(t.shift, 0);
	cr_assert_eq(t.n, 60);
	cr_assert_eq(t.bins[29].differ, 0);
	cr_assert_eq(t.bins[30].differ, 1);
	cr_assert_eq(t.bins[50].changed, 1);
	cr_assert_eq(t.bins[59].number, 1059);
	timeline_finish(&t);
}

Test(timeline, a_year_fits_too)
{
	struct timeline t = {0};
	for (uint64_t hour = 0; hour < 8760; hour++) {
		add(&t, hour * 3600, hour % 2, false);
	}
	cr_assert_leq(t.n, BINS);
	cr_assert_geq(t.n, BINS / 2);
	cr_assert_eq(total(&t), 8760);
	for (size_t i = 1; i < t.n; i++) {
		cr_assert_gt(t.bins[i].number, t.bins[i - 1].number);
	}
	timeline_finish(&t);
}

Test(timeline, a_clock_that_jumps_costs_one_stretch_and_not_the_others)
{
	struct timeline t = {0};
	for (uint64_t s = 0; s < 50; s++) {
		add(&t, (1700000000 + s), false, false);
	}
	add(&t, 0, true, true);
	add(&t, UINT64_MAX, true, true);
	cr_assert_eq(t.shift, 0);
	cr_assert_eq(t.n, 52);
	timeline_finish(&t);
}

Test(timeline, is_the_same_in_any_order)
{
	struct timeline whole = {0}, backwards = {0};
	for (uint64_t i = 0; i < 5000; i++) {
		uint64_t at = (1700000000 + i * i % 70001), k = 4999 - i;
		uint64_t back = (1700000000 + k * k % 70001);
		add(&whole, at, i % 3 == 0, i % 9 == 0);
		add(&backwards, back, k % 3 == 0, k % 9 == 0);
	}
	cr_assert_eq(backwards.shift, whole.shift);
	cr_assert_eq(backwards.n, whole.n);
	cr_assert_arr_eq(backwards.bins, whole.bins, whole.n * sizeof(*whole.bins));
	cr_assert_eq(total(&whole), 5000);
	timeline_finish(&whole);
	timeline_finish(&backwards);
}
