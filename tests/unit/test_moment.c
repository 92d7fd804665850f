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

#define S UINT64_C(1000000000)

Test(moment, times_are_read_in_the_forms_that_files_have)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} rows[] = {
	        {"1970-01-01T00:00:00Z", 0},
	        {"2026-04-19T12:00:00Z", 1776600000 * S},
	        {"2026-04-19T12:00:00.123456Z", 1776600000 * S + 123456000},
	        {"2026-04-19T12:00:00.1234567891Z", 1776600000 * S + 123456789},
	        {"2026-04-19T14:00:00+02:00", 1776600000 * S},
	        {"2026-04-19T07:30:00-0430", 1776600000 * S},
	        {"2026-04-19 12:00:00", 1776600000 * S},
	        {"2026-04-19T12-00-00.5", 1776600000 * S + S / 2},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint64_t ns = 1;
		cr_expect(moment_begins(span_of(rows[i].text), &ns), "%s", rows[i].text);
		cr_expect_eq(ns, rows[i].ns, "%s: %lu", rows[i].text, (unsigned long)ns);
	}
}

Test(moment, a_text_that_begins_with_no_time_is_refused)
{
	static const char *const rows[] = {"", "2026", "2026-13-01T00:00:00", "2026-00-01T00:00:00",
	        "2026-01-32T00:00:00", "2026-01-01T24:00:00", "2026-01-01T00:60:00",
	        "1969-12-31T23:59:59", "2026-01-01X00:00:00", "9999-01-01T00:00:00",
	        "1970-01-01T00:00:00+01:00"};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint64_t ns;
		cr_expect_not(moment_begins(span_of(rows[i]), &ns), "%s", rows[i]);
	}
}

Test(moment, a_time_is_found_in_a_files_name)
{
	uint64_t ns;
	cr_assert(moment_find(SPAN("samples_gsm8k_2026-04-19T12-00-00.250000.jsonl"), &ns));
	cr_assert_eq(ns, 1776600000 * S + S / 4);
	cr_assert_not(moment_find(SPAN("samples_gsm8k.jsonl"), &ns));
}
