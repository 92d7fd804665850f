#include "capture/formats/timestamp.h"

#include <criterion/criterion.h>

#define S UINT64_C(1000000000)

Test(timestamp, times_are_read_in_the_forms_that_files_have)
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
		cr_expect(timestamp_parse(span_of(rows[i].text), &ns), "%s", rows[i].text);
		cr_expect_eq(ns, rows[i].ns, "%s: %lu", rows[i].text, (unsigned long)ns);
	}
}

Test(timestamp, what_is_no_time_is_refused)
{
	static const char *const rows[] = {"", "2026", "2026-13-01T00:00:00", "2026-00-01T00:00:00",
	        "2026-01-32T00:00:00", "2026-01-01T24:00:00", "2026-01-01T00:60:00",
	        "1969-12-31T23:59:59", "2026-01-01X00:00:00", "9999-01-01T00:00:00",
	        "1970-01-01T00:00:00+01:00"};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint64_t ns;
		cr_expect_not(timestamp_parse(span_of(rows[i]), &ns), "%s", rows[i]);
	}
}

Test(timestamp, a_time_is_found_in_a_files_name)
{
	uint64_t ns;
	cr_assert(timestamp_find(SPAN("samples_gsm8k_2026-04-19T12-00-00.250000.jsonl"), &ns));
	cr_assert_eq(ns, 1776600000 * S + S / 4);
	cr_assert_not(timestamp_find(SPAN("samples_gsm8k.jsonl"), &ns));
}
