#include "replay/line.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static FILE *file_of(const char *text, size_t len)
{
	FILE *f = tmpfile();
	cr_assert_not_null(f);
	cr_assert_eq(fwrite(text, 1, len, f), len);
	rewind(f);
	return f;
}

static void is_next(FILE *f, size_t limit, int result, const char *wanted)
{
	struct buf line = {0};
	cr_assert_eq(line_next(f, limit, &line), result);
	cr_assert(span_is(buf_span(&line), wanted), "%s, not %s", buf_cstr(&line), wanted);
	buf_finish(&line);
}

Test(line, lines_come_with_their_ends_and_the_last_without)
{
	FILE *f = file_of("one\n\ntwo\r\nthree", 15);
	is_next(f, 100, 1, "one\n");
	is_next(f, 100, 1, "\n");
	is_next(f, 100, 1, "two\r\n");
	is_next(f, 100, 1, "three");
	is_next(f, 100, 0, "");
	fclose(f);
}

Test(line, a_nul_is_a_byte_like_others)
{
	struct buf line = {0};
	FILE *f = file_of("a\0b\nc", 5);
	cr_assert_eq(line_next(f, 100, &line), 1);
	cr_assert(span_equal(buf_span(&line), (struct span){"a\0b\n", 4}));
	is_next(f, 100, 1, "c");
	buf_finish(&line);
	fclose(f);
}

Test(line, what_is_longer_is_passed_without_being_held)
{
	size_t n = 1 << 20;
	char *text = malloc(n + 3);
	struct buf line = {0};
	cr_assert_not_null(text);
	memset(text, 'x', n);
	memcpy(text + n, "\ny\n", 3);
	FILE *f = file_of(text, n + 3);
	buf_append_str(&line, "before ");
	cr_assert_eq(line_next(f, 10000, &line), -EFBIG);
	cr_assert(span_is(buf_span(&line), "before "));
	cr_assert_leq(line.cap, 32768);
	is_next(f, 10000, 1, "y\n");
	is_next(f, 10000, 0, "");
	buf_finish(&line);
	fclose(f);
	free(text);
}

Test(line, the_limit_is_the_last_length_that_fits)
{
	FILE *f = file_of("abcd\nabcde\nf", 12);
	is_next(f, 5, 1, "abcd\n");
	is_next(f, 5, -EFBIG, "");
	is_next(f, 5, 1, "f");
	fclose(f);
}

Test(line, a_byte_order_mark_is_passed_over_at_the_beginning_alone)
{
	static const char TEXT[] = "\xef\xbb\xbf"
	                           "ab\n\xef\xbb\xbf"
	                           "c\n";
	FILE *f = file_of(TEXT, sizeof(TEXT) - 1);
	for (int i = 0; i < 2; i++) {
		is_next(f, 3, 1, "ab\n");
		is_next(f, 100, 1,
		        "\xef\xbb\xbf"
		        "c\n");
		rewind(f);
	}
	fclose(f);
	f = file_of(TEXT, 3);
	is_next(f, 100, 1, "");
	is_next(f, 100, 0, "");
	fclose(f);
}
