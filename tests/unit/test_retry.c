#include "replay/retry.h"

#include <criterion/criterion.h>

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)
#define NONE ((struct span){0})
/* Sun, 06 Nov 1994 08:49:37 GMT */
#define WALL (UINT64_C(784111777) * SECOND)

Test(retry, only_what_says_not_now_is_worth_another_try)
{
	static const int YES[] = {429, 502, 503, 504},
	                 NO[] = {200, 400, 401, 404, 422, 500, 501, 505};
	for (size_t i = 0; i < sizeof(YES) / sizeof(*YES); i++) {
		cr_expect(retry_applies(YES[i]), "%d", YES[i]);
	}
	for (size_t i = 0; i < sizeof(NO) / sizeof(*NO); i++) {
		cr_expect_not(retry_applies(NO[i]), "%d", NO[i]);
	}
}

Test(retry, pauses_double_up_to_a_limit)
{
	cr_expect_eq(retry_pause(0, NONE, WALL), 500 * MS);
	cr_expect_eq(retry_pause(1, NONE, WALL), 1000 * MS);
	cr_expect_eq(retry_pause(5, NONE, WALL), 16 * SECOND);
	cr_expect_eq(retry_pause(6, NONE, WALL), RETRY_PAUSE_LIMIT);
	cr_expect_eq(retry_pause(RETRY_LIMIT - 1, NONE, WALL), RETRY_PAUSE_LIMIT);
}

Test(retry, an_engine_that_says_how_long_is_given_that_time_up_to_a_limit)
{
	cr_expect_eq(retry_pause(0, SPAN("7"), WALL), 7 * SECOND);
	cr_expect_eq(retry_pause(4, SPAN("1"), WALL), 8 * SECOND, "never sooner than by itself");
	cr_expect_eq(retry_pause(0, SPAN("99999999999999999999999"), WALL), RETRY_AFTER_LIMIT);
	cr_expect_eq(retry_pause(0, SPAN("Sun, 06 Nov 1994 08:49:47 GMT"), WALL), 10 * SECOND);
	cr_expect_eq(retry_pause(0, SPAN("Sun, 06 Nov 1994 08:00:00 GMT"), WALL), 500 * MS, "past");
	cr_expect_eq(
	        retry_pause(0, SPAN("Mon, 07 Nov 2094 08:00:00 GMT"), WALL), RETRY_AFTER_LIMIT);
}

Test(retry, what_is_neither_seconds_nor_a_date_says_nothing)
{
	static const char *const BAD[] = {"soon", "-1", "1.5", "1 s", "", "Sun, 06 Nov", "+3"};
	for (size_t i = 0; i < sizeof(BAD) / sizeof(*BAD); i++) {
		cr_expect_eq(retry_pause(0, span_of(BAD[i]), WALL), 500 * MS, "%s", BAD[i]);
	}
	char longer[200];
	memset(longer, '9', sizeof(longer));
	cr_expect_eq(retry_pause(0, (struct span){longer, sizeof(longer)}, WALL), 500 * MS);
}
