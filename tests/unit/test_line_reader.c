#include "capture/formats/line_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/mem.h"

Test(line_reader, lines_come_with_their_numbers_and_without_the_space_at_their_end)
{
	static const char text[] = "one\r\n\ntwo \t\nth\0ree\nlast";
	FILE *file = fmemopen((void *)text, sizeof(text) - 1, "r");
	const struct span expected[] = {
	        SPAN("one"), SPAN(""), SPAN("two"), SPAN("th\0ree"), SPAN("last")};
	struct line_reader l;
	struct span line;
	line_reader_init(&l, file);
	for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
		cr_assert_eq(line_reader_next(&l, &line), 1);
		cr_expect(span_equal(line, expected[i]), "line %zu", i);
		cr_expect_eq(l.number, i + 1);
	}
	cr_assert_eq(line_reader_next(&l, &line), 0);
	cr_assert_eq(line_reader_next(&l, &line), 0);
	line_reader_finish(&l);
	fclose(file);
}

Test(line_reader, a_byte_order_mark_is_no_part_of_the_first_line)
{
	static const char text[] = "\xef\xbb\xbf"
	                           "one\n\xef\xbb\xbf"
	                           "two";
	FILE *file = fmemopen((void *)text, sizeof(text) - 1, "r");
	struct line_reader l;
	struct span line;
	line_reader_init(&l, file);
	cr_assert_eq(line_reader_next(&l, &line), 1);
	cr_expect(span_is(line, "one"));
	cr_expect_eq(l.offset, 0);
	cr_assert_eq(line_reader_next(&l, &line), 1);
	cr_expect_eq(line.len, 6, "another one is");
	cr_expect_eq(l.offset, 7);
	line_reader_finish(&l);
	fclose(file);
}

Test(line_reader, a_line_over_the_limit_is_said_and_the_next_one_comes)
{
	size_t n = LINE_READER_LIMIT + 100;
	char *text = xmalloc(n + 8);
	memset(text, 'x', n);
	memcpy(text + n, "\nnext\n", 6);
	FILE *file = fmemopen(text, n + 6, "r");
	struct line_reader l;
	struct span line;
	line_reader_init(&l, file);
	cr_assert_eq(line_reader_next(&l, &line), -EFBIG);
	cr_assert_eq(line_reader_next(&l, &line), 1);
	cr_assert(span_is(line, "next"));
	cr_assert_eq(l.number, 2);
	line_reader_finish(&l);
	fclose(file);
	free(text);
}

Test(line_reader, whole_lines_keep_their_ends_and_are_read_again_from_an_offset)
{
	static const char text[] = "\xef\xbb\xbf"
	                           "one \r\n\ntwo\nlast";
	FILE *file = fmemopen((void *)text, sizeof(text) - 1, "r");
	struct line_reader l;
	struct span line;
	line_reader_init(&l, file);
	l.whole = true;
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(line_reader_next(&l, &line), 1);
		cr_expect(span_is(line, "one \r\n"), "the mark is no part of it");
		cr_assert_eq(line_reader_next(&l, &line), 1);
		cr_expect(span_is(line, "\n"));
		uint64_t at = l.passed;
		cr_assert_eq(line_reader_next(&l, &line), 1);
		cr_expect_eq(l.offset, at);
		cr_assert_eq(line_reader_next(&l, &line), 1);
		cr_expect(span_is(line, "last"));
		cr_assert_eq(line_reader_next(&l, &line), 0);
		cr_assert_eq(line_reader_seek(&l, at), 0);
		cr_assert_eq(line_reader_next(&l, &line), 1);
		cr_expect(span_is(line, "two\n"));
		cr_assert_eq(line_reader_seek(&l, 0), 0);
	}
	line_reader_finish(&l);
	fclose(file);
}
