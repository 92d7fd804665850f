#include "replay/load_figures.h"

#include <criterion/criterion.h>

#include "answers/pulse.h"

#define SECOND UINT64_C(1000000000)
#define MS UINT64_C(1000000)

/* A stream of n events with choices, step_us apart, from `first` on. */
static void answer(
        struct load_figures *f, uint64_t first, uint32_t *gaps, size_t n, uint32_t step_us)
{
	for (size_t i = 0; i + 1 < n; i++) {
		gaps[i] = step_us;
	}
	struct pulse p = {.stream = true,
	        .first_choice = first,
	        .last_choice = first + (n - 1) * step_us * 1000,
	        .n_choices = (uint32_t)n,
	        .gaps = gaps,
	        .n_gaps = n - 1,
	        .usage = {-1, -1, -1, -1, -1}};
	struct load_figures_answer a = {
	        .intended = first, .sent = first, .ended = p.last_choice, .pulse = &p};
	load_figures_sent(f, false, false, first, first);
	load_figures_answer(f, &a);
}

/* Whatever the clock's own seconds are: a burst of 100 ms is within the first. */
Test(load_figures, seconds_are_counted_from_the_first_send)
{
	uint32_t gaps[20];
	struct load_figures f = {0};
	uint64_t began = 7 * SECOND + 950 * MS;
	load_figures_begin(&f, began);
	answer(&f, began, gaps, 20, 5000);
	cr_expect_eq(load_figures_most_tokens(&f), 20);
	answer(&f, began + 1200 * MS, gaps, 10, 5000);
	cr_expect_eq(load_figures_most_tokens(&f), 20);
	load_figures_finish(&f);
}

/* Steps and repeats in which nothing was answered, between others. */
Test(load_figures, what_passes_between_is_no_time_of_theirs)
{
	uint32_t gaps[20];
	struct load_figures f = {0}, none = {0}, later = {0}, merged = {0};
	load_figures_begin(&f, 2 * SECOND);
	cr_expect_eq(load_figures_seconds(&f), 0);
	answer(&f, 3 * SECOND, gaps, 2, 0);
	load_figures_begin(&f, 10 * SECOND);
	cr_expect_float_eq(load_figures_seconds(&f), 1, 1e-9);
	load_figures_begin(&f, 20 * SECOND);
	cr_expect_float_eq(load_figures_seconds(&f), 1, 1e-9);
	load_figures_begin(&f, 30 * SECOND);
	answer(&f, 32 * SECOND, gaps, 2, 0);
	cr_expect_float_eq(load_figures_seconds(&f), 3, 1e-9);
	load_figures_merge(&merged, &f);
	cr_expect_float_eq(load_figures_seconds(&merged), 3, 1e-9);
	load_figures_merge(&merged, &none);
	load_figures_begin(&none, 40 * SECOND);
	load_figures_merge(&merged, &none);
	load_figures_merge(&merged, &none);
	cr_expect_float_eq(load_figures_seconds(&merged), 3, 1e-9);
	load_figures_begin(&later, 50 * SECOND);
	answer(&later, 54 * SECOND, gaps, 2, 0);
	load_figures_merge(&merged, &later);
	cr_expect_float_eq(load_figures_seconds(&merged), 7, 1e-9);
	load_figures_restart(&merged, 60 * SECOND);
	cr_expect_eq(load_figures_seconds(&merged), 0);
	load_figures_finish(&f);
	load_figures_finish(&none);
	load_figures_finish(&later);
	load_figures_finish(&merged);
}

/* What was measured later comes in its own seconds. */
Test(load_figures, those_of_a_later_step_are_laid_upon_the_nearest_seconds)
{
	uint32_t gaps[20];
	struct load_figures f = {0}, later = {0};
	load_figures_begin(&f, 3 * SECOND);
	answer(&f, 3 * SECOND, gaps, 20, 5000);
	load_figures_begin(&later, 5 * SECOND + 100 * MS);
	answer(&later, 5 * SECOND + 100 * MS, gaps, 15, 5000);
	answer(&later, 5 * SECOND + 900 * MS, gaps, 15, 5000);
	load_figures_merge(&f, &later);
	cr_expect_eq(load_figures_most_tokens(&f), 30);
	load_figures_finish(&f);
	load_figures_finish(&later);
}

/* Two requests were sent as the warm-up. One was cancelled, the other failed: nothing was
 * answered, and the clock restarts for what follows. */
Test(load_figures, a_cancelled_answer_of_the_warm_up_is_no_answer)
{
	struct pulse p = {.usage = {-1, -1, -1, -1, -1}};
	struct load_figures f = {0};
	load_figures_begin(&f, SECOND);
	for (int i = 0; i < 2; i++) {
		struct load_figures_answer a = {.intended = SECOND,
		        .sent = SECOND,
		        .ended = 2 * SECOND,
		        .warm_up = true,
		        .cancelled = i == 0,
		        .failure = i == 0 ? "cancelled" : "status 500",
		        .pulse = &p};
		load_figures_sent(&f, false, false, SECOND, SECOND);
		load_figures_answer(&f, &a);
	}
	cr_expect_eq(load_figures_answered(&f), 0);
	cr_expect_eq(load_figures_failed(&f), 1);
	cr_expect_eq(load_figures_ended(&f), 2);
	cr_expect_eq(f.cancelled, 1);
	load_figures_begin(&f, 5 * SECOND);
	cr_expect_eq(f.began, 5 * SECOND);
	load_figures_finish(&f);
}
