#include "replay/pace.h"

#include <criterion/criterion.h>

Test(pace, knows_one_rate_a_ramp_steps_and_saturation)
{
	struct pace p = {.over = 7, .step = 8};
	cr_assert(!pace_parse("5", &p) && p.shape == PACE_STEADY && p.rates[0] == 5);
	cr_assert(!pace_parse("300/m", &p) && p.shape == PACE_STEADY && p.rates[0] == 5);
	cr_assert(!pace_parse("10..200", &p) && p.shape == PACE_RAMP);
	cr_assert(p.rates[0] == 10 && p.rates[1] == 200);
	cr_assert(!pace_parse("60/m..0.5", &p) && p.rates[0] == 1 && p.rates[1] == 0.5);
	cr_assert(!pace_parse("10,20/s,40", &p) && p.shape == PACE_STEPS && p.n == 3);
	cr_assert(p.rates[0] == 10 && p.rates[1] == 20 && p.rates[2] == 40);
	cr_assert(!pace_parse("saturate", &p) && p.shape == PACE_SATURATE && p.rates[0] == 1);
	cr_assert(!pace_parse("saturate:30/m", &p) && p.rates[0] == 0.5);
	cr_assert(p.over == 7 && p.step == 8, "times are said elsewhere");
}

Test(pace, what_has_no_such_form_is_refused_and_nothing_is_written)
{
	static const char *const BAD[] = {"", "0", "-1", "nan", "inf", "1e7", "5/d", "1..", "..5",
	        "1..2..3", "0..5", ",", "1,", "1,,x", "1,0", "saturated", "saturate:", "saturate:0",
	        ",1", "1,,2", "0x10", "1e1", "+5", ".5", "5.", "1,2,", "0x1..5", "5 a"};
	struct pace p = {.n = 7};
	for (size_t i = 0; i < ARRAY_LEN(BAD); i++) {
		cr_expect(pace_parse(BAD[i], &p), "%s", BAD[i]);
	}
	cr_assert_eq(p.n, 7);
}

Test(pace, what_is_wrong_is_said)
{
	struct pace p;
	cr_expect_str_eq(pace_parse("1,,2", &p), "a rate is missing");
	cr_expect_str_eq(pace_parse(",1", &p), "a rate is missing");
	cr_expect_str_eq(pace_parse("5,0x10", &p), "a rate is not a number (5, 0.5, 30/m)");
	cr_expect_str_eq(pace_parse("1,0", &p), "a rate is 0, or more than can be sent");
	cr_expect_null(pace_parse("1, 2", &p));
}

Test(pace, steps_take_their_rates_times_their_length_and_some_more)
{
	struct pace p = {.step = UINT64_C(10000000000)};
	cr_assert(!pace_parse("10,30", &p));
	cr_expect(pace_requests(&p) >= 400 && pace_requests(&p) < 600);
	cr_assert(!pace_parse("10", &p));
	cr_expect_eq(pace_requests(&p), 0);
}
