#include "replay/csv.h"

#include <criterion/criterion.h>

static void is(const char *record, size_t number, const char *wanted)
{
	struct buf field = {0};
	bool found = csv_field(span_of(record), number, &field);
	cr_assert_eq(found, wanted != NULL, "%s, field %zu", record, number);
	cr_assert(!found || span_is(buf_span(&field), wanted), "%s, field %zu: %s", record, number,
	        buf_cstr(&field));
	buf_finish(&field);
}

Test(csv, fields_are_split_at_commas)
{
	is("a,bc,,d", 0, "a");
	is("a,bc,,d", 1, "bc");
	is("a,bc,,d", 2, "");
	is("a,bc,,d", 3, "d");
	is("a,bc,,d", 4, NULL);
	is("", 0, "");
	is("", 1, NULL);
	is(",", 1, "");
}

Test(csv, quotes_hold_commas_line_ends_and_doubled_quotes)
{
	const char *record = "\"a,b\",\"two\nlines\",\"say \"\"hi\"\"\",\"\"";
	is(record, 0, "a,b");
	is(record, 1, "two\nlines");
	is(record, 2, "say \"hi\"");
	is(record, 3, "");
	is(record, 4, NULL);
}

Test(csv, a_record_goes_on_while_a_quote_is_open)
{
	cr_expect(csv_is_open(SPAN("a,\"b")));
	cr_expect(csv_is_open(SPAN("a,\"b\"\"")));
	cr_expect(!csv_is_open(SPAN("a,\"b\"\"\"")));
	cr_expect(!csv_is_open(SPAN("a,b")));
	cr_expect(!csv_is_open(SPAN("")));
}

Test(csv, columns_are_found_by_name)
{
	struct span header = SPAN("Record ID,\"Correct, Answer\",Question");
	cr_expect_eq(csv_column(header, "Record ID"), 0);
	cr_expect_eq(csv_column(header, "Correct, Answer"), 1);
	cr_expect_eq(csv_column(header, "Question"), 2);
	cr_expect_eq(csv_column(header, "question"), -1);
}

/* Any file may be given as a table, such as a long line of JSON. */
Test(csv, a_column_is_looked_for_in_one_pass, .timeout = 20)
{
	struct buf header = {0};
	for (int i = 0; i < 1000000; i++) {
		buf_append_str(&header, "a,");
	}
	buf_append_str(&header, "last");
	cr_expect_eq(csv_column(buf_span(&header), "last"), 1000000);
	cr_expect_eq(csv_column(buf_span(&header), "none"), -1);
	buf_finish(&header);
}
