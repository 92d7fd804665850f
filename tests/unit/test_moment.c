#include "base/moment.h"

#include <criterion/criterion.h>

#define NOW (UINT64_C(1769882405) * 1000000000) /* 2026-01-31T18:00:05Z */

static uint64_t at(const char *text)
{
	uint64_t ns;
	cr_assert(moment_parse(text, NOW, &ns), "%s", text);
	return ns;
}

Test(moment, what_is_relative_counts_back_from_now)
{
	cr_assert_eq(at("2h"), NOW - UINT64_C(7200) * 1000000000);
	cr_assert_eq(at("7d"), NOW - UINT64_C(7) * 86400 * 1000000000);
	cr_assert_eq(at("90s"), NOW - UINT64_C(90) * 1000000000);
	cr_assert_eq(at("0"), NOW);
	cr_assert_eq(at("100000d"), 0, "there is nothing before 1970");
}

Test(moment, a_date_is_utc_unless_it_names_a_zone)
{
	cr_assert_eq(at("2026-01-31T18:00:05"), NOW);
	cr_assert_eq(at("2026-01-31T18:00:05Z"), NOW);
	cr_assert_eq(at("2026-01-31 18:00:05"), NOW);
	cr_assert_eq(at("2026-01-31T20:00:05+02:00"), NOW);
	cr_assert_eq(at("2026-01-31T12:30:05-0530"), NOW);
	cr_assert_eq(at("2026-01-31T19:00:05+01"), NOW);
	cr_assert_eq(at("2026-01-31T18:00:05.250Z"), NOW + 250000000);
	cr_assert_eq(at("2026-01-31T18:00"), NOW - UINT64_C(5000000000));
	cr_assert_eq(at("2026-01-31"), NOW - UINT64_C(64805) * 1000000000);
	cr_assert_eq(at("2024-02-29"), UINT64_C(1709164800) * 1000000000);
}

Test(moment, what_is_no_moment_is_refused)
{
	static const char *const WRONG[] = {"", "yesterday", "2026", "2026-01", "2026-13-01",
	        "2026-02-31", "2025-02-29", "2026-01-31T", "2026-01-31T24:00", "2026-01-31T18:60",
	        "2026-01-31T18", "2026-01-31T18:00:05X", "1969-12-31", "1970-01-01T00:00+01:00",
	        "2026-01-31T18:00+2", "-2h", "2 h", "26-01-31", "2026-1-31"};
	uint64_t ns;
	for (size_t i = 0; i < ARRAY_LEN(WRONG); i++) {
		cr_expect(!moment_parse(WRONG[i], NOW, &ns), "%s", WRONG[i]);
	}
}

Test(moment, it_is_written_as_it_is_read)
{
	char text[MOMENT_TEXT_SIZE];
	cr_assert_str_eq(moment_format(NOW, text), "2026-01-31T18:00:05Z");
	cr_assert_eq(at(text), NOW);
}
