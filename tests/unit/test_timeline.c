#include "analyzer/fold/timeline.h"

#include <string.h>

#include <criterion/criterion.h>

#include "base/check.h"

#define NS UINT64_C(1000000000)

static uint64_t total(const struct timeline *t)
{
	uint64_t n = 0;
	for (size_t i = 0; i < t->n; i++) {
		n += t->stretches[i].n;
	}
	return n;
}

Test(timeline, a_minute_is_shown_by_the_second)
{
	struct timeline t = {0};
	for (uint64_t s = 0; s < 60; s++) {
		timeline_add(&t, (1000 + s) * NS + 999999999, s >= 30, s >= 50);
	}
	cr_assert_eq(timeline_width(&t), 1);
	cr_assert_eq(t.n, 60);
	cr_assert_eq(t.stretches[29].differ, 0);
	cr_assert_eq(t.stretches[30].differ, 1);
	cr_assert_eq(t.stretches[50].changed, 1);
	cr_assert_eq(t.stretches[59].number, 1059);
}

Test(timeline, a_year_fits_too)
{
	struct timeline t = {0};
	for (uint64_t hour = 0; hour < 8760; hour++) {
		timeline_add(&t, hour * 3600 * NS, hour % 2, false);
	}
	cr_assert_leq(t.n, TIMELINE_STRETCHES);
	cr_assert_geq(t.n, TIMELINE_STRETCHES / 2);
	cr_assert_eq(total(&t), 8760);
	for (size_t i = 1; i < t.n; i++) {
		cr_assert_gt(t.stretches[i].number, t.stretches[i - 1].number);
	}
}

Test(timeline, a_clock_that_jumps_costs_one_stretch_and_not_the_others)
{
	struct timeline t = {0};
	for (uint64_t s = 0; s < 50; s++) {
		timeline_add(&t, (1700000000 + s) * NS, false, false);
	}
	timeline_add(&t, 0, true, true);
	timeline_add(&t, UINT64_MAX, true, true);
	cr_assert_eq(timeline_width(&t), 1);
	cr_assert_eq(t.n, 52);
}

Test(timeline, is_the_same_in_any_order_and_when_merged)
{
	struct timeline whole = {0}, backwards = {0}, parts[3] = {{0}};
	for (uint64_t i = 0; i < 5000; i++) {
		uint64_t at = (1700000000 + i * i % 70001) * NS, k = 4999 - i;
		uint64_t back = (1700000000 + k * k % 70001) * NS;
		timeline_add(&whole, at, i % 3 == 0, i % 9 == 0);
		timeline_add(&backwards, back, k % 3 == 0, k % 9 == 0);
		timeline_add(&parts[i / 100 % 3], at, i % 3 == 0, i % 9 == 0);
	}
	timeline_merge(&parts[2], &parts[0]);
	timeline_merge(&parts[2], &parts[1]);
	const struct timeline *others[] = {&backwards, &parts[2]};
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		cr_assert_eq(others[i]->log2_width, whole.log2_width);
		cr_assert_eq(others[i]->n, whole.n);
		cr_assert_arr_eq(
		        others[i]->stretches, whole.stretches, whole.n * sizeof(*whole.stretches));
	}
	cr_assert_eq(total(&whole), 5000);
}
