#include "replay/think_time.h"

#include <criterion/criterion.h>

#define SECOND UINT64_C(1000000000)

Test(think_time, a_time_or_what_was_recorded_is_understood_and_nothing_else)
{
	struct think_time_setting w;
	cr_assert(think_time_parse("1500ms", &w) && w.fixed == 1500000000 && !w.recorded);
	cr_assert(think_time_parse("recorded", &w) && w.fixed == 0 && w.recorded);
	cr_assert_not(think_time_parse("soon", &w));
	cr_assert_not(think_time_parse("", &w));
}

Test(think_time, a_turn_waits_for_a_time_after_the_answer_before)
{
	const struct think_time_setting wish = {.fixed = 2 * SECOND, .is_set = true};
	struct think_time t;
	think_time_init(&t, &wish, false, 3);
	cr_expect_eq(think_time_until(&t, 0, 0, 0), 0, "of another process: long past");
	think_time_send_ended(&t, 0, 10 * SECOND);
	cr_expect_eq(think_time_until(&t, 0, 77, 0), 12 * SECOND);
	cr_expect_eq(think_time_until(&t, 1, 77, 0), 0);
	think_time_finish(&t);
}

Test(think_time, or_as_long_as_it_took_when_it_was_recorded_if_that_is_known)
{
	const struct think_time_setting wish = {.recorded = true, .is_set = true};
	struct think_time t;
	think_time_init(&t, &wish, false, 3);
	think_time_recorded(&t, 0, 100 * SECOND);
	think_time_recorded(&t, 2, 200 * SECOND);
	for (uint32_t i = 0; i < 3; i++) {
		think_time_send_ended(&t, i, 10 * SECOND);
	}
	cr_expect_eq(think_time_until(&t, 0, 107 * SECOND, 0), 17 * SECOND);
	cr_expect_eq(think_time_until(&t, 1, 107 * SECOND, 0), 10 * SECOND, "no recorded answer");
	cr_expect_eq(think_time_until(&t, 2, 199 * SECOND, 0), 10 * SECOND,
	        "it came before the answer did");
	cr_expect_eq(think_time_until(&t, 0, 0, 0), 10 * SECOND, "nor a recorded time");
	think_time_finish(&t);
}

Test(think_time, without_a_wish_nothing_is_kept_and_nobody_waits)
{
	const struct think_time_setting wish = {0};
	struct think_time t;
	think_time_init(&t, &wish, false, 3);
	think_time_recorded(&t, 0, 100);
	think_time_send_ended(&t, 0, 10);
	cr_expect(think_time_until(&t, 0, 200, 0) == 0 && !t.ended);
	think_time_finish(&t);
}

Test(think_time, a_source_says_how_long_unless_a_time_was_wished_for)
{
	const struct think_time_setting none = {0}, fixed = {.fixed = 2 * SECOND, .is_set = true},
	                                recorded = {.recorded = true, .is_set = true},
	                                no_time = {.is_set = true};
	const struct think_time_setting *const wishes[] = {&none, &fixed, &recorded, &no_time};
	const uint64_t until[] = {13 * SECOND, 12 * SECOND, 13 * SECOND, 0};
	for (size_t i = 0; i < ARRAY_LEN(wishes); i++) {
		struct think_time t;
		think_time_init(&t, wishes[i], true, 3);
		think_time_send_ended(&t, 0, 10 * SECOND);
		cr_expect_eq(think_time_until(&t, 0, 0, 3 * SECOND), until[i], "%zu", i);
		cr_expect(think_time_is_known(&t, 0, 0, 3 * SECOND));
		think_time_finish(&t);
	}
}
