/* Both ways are held against the reader, which takes each value apart, and against each other. */
#include "base/json_scan.h"

#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/json.h"
#include "seeded.h"

static const char *found(const char *at, const char *end)
{
	const char *by_blocks = json_scan_end(at, end);
	cr_assert_eq(json_scan_end_scalar(at, end), by_blocks, "%.*s", (int)(end - at), at);
	return by_blocks;
}

static void draw_string(struct buf *to)
{
	static const char *const pieces[] = {
	        "a", "]", "}", "[", "{", "\\\"", "\\\\", "\\n", "\\\\\\\"", "word", "\xc3\xa9"};
	buf_append_char(to, '"');
	for (size_t n = below(9); n > 0; n--) {
		buf_append_str(to, pieces[below(sizeof(pieces) / sizeof(*pieces))]);
	}
	buf_append_char(to, '"');
}

static void draw_value(struct buf *to, size_t depth)
{
	size_t kind = depth ? below(4) : 2 + below(2);
	if (kind < 2) {
		buf_append_char(to, kind ? '{' : '[');
		for (size_t i = 0, n = below(5); i < n; i++) {
			buf_append_str(to, i ? ", " : "");
			if (kind) {
				draw_string(to);
				buf_append_char(to, ':');
			}
			draw_value(to, depth - 1);
		}
		buf_append_char(to, kind ? '}' : ']');
	} else if (kind == 2) {
		draw_string(to);
	} else {
		buf_append_str(to, "-0.123456789");
	}
}

Test(json_scan, ends_where_the_reader_ends)
{
	struct buf text = {0};
	for (int round = 0; round < 20000; round++) {
		buf_clear(&text);
		buf_append_char(&text, '[');
		draw_value(&text, 6);
		buf_append_char(&text, ']');
		size_t len = text.len;
		for (size_t n = below(70); n > 0; n--) {
			buf_append_char(&text, "]}\"\\["[below(5)]);
		}
		struct json j;
		json_init(&j, text.data, len);
		struct json_token t = json_next(&j);
		cr_assert_eq(json_skip(&j, &t).len, len);
		cr_assert_eq(found(text.data + 1, text.data + text.len), text.data + len, "%.*s",
		        (int)text.len, text.data);
	}
	buf_finish(&text);
}

Test(json_scan, knows_an_escaped_quote_and_the_end_of_a_string_wherever_blocks_part)
{
	char text[400];
	for (size_t before = 0; before < 140; before++) {
		for (size_t slashes = 0; slashes < 140; slashes += 1 + slashes / 8) {
			int n = snprintf(text, sizeof(text), "[\"%*s", (int)before, "");
			memset(text + n, '\\', slashes);
			/* An odd number of them leaves the string open until the next quote. */
			strcpy(text + n + slashes, slashes % 2 ? "\"]\"]" : "\"]");
			const char *end = text + strlen(text);
			cr_assert_eq(found(text + 1, end), end, "%zu, %zu", before, slashes);
		}
	}
}

Test(json_scan, says_so_if_there_is_no_end)
{
	char text[200] = "";
	cr_expect_null(found(text, text));
	for (size_t n = 1; n < sizeof(text); n++) {
		memset(text, '[', sizeof(text));
		cr_expect_null(found(text, text + n));
		memset(text, ' ', sizeof(text));
		text[n] = ']'; /* behind the end */
		cr_expect_null(found(text, text + n));
		cr_expect_eq(found(text, text + n + 1), text + n + 1);
		text[0] = '"'; /* in a string that does not end */
		cr_expect_null(found(text, text + n + 1));
	}
}

Test(json_scan, goes_both_ways_alike_through_whatever_comes)
{
	char text[300];
	for (int round = 0; round < 100000; round++) {
		size_t n = below(sizeof(text) + 1);
		for (size_t i = 0; i < n; i++) {
			text[i] = "[]{}\"\\ a"[below(8)];
		}
		found(text, text + n);
	}
}
