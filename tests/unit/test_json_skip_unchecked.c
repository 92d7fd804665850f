#include "base/json.h"

#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "seeded.h"

/* Returns how many bytes json_skip_unchecked() skips of a text that starts with a bracket; 0: there
 * is no end. */
static size_t passed(const char *text, size_t len)
{
	struct json j;
	json_init(&j, text, len);
	struct json_token t = json_next(&j);
	return json_skip_unchecked(&j, &t).len;
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

Test(json_skip_unchecked, ends_where_the_reader_ends)
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
		cr_assert_eq(passed(text.data, text.len), len, "%.*s", (int)text.len, text.data);
	}
	buf_finish(&text);
}

Test(json_skip_unchecked, knows_an_escaped_quote_and_the_end_of_a_string_at_any_place)
{
	char text[400];
	for (size_t before = 0; before < 140; before++) {
		for (size_t slashes = 0; slashes < 140; slashes += 1 + slashes / 8) {
			int n = snprintf(text, sizeof(text), "[\"%*s", (int)before, "");
			memset(text + n, '\\', slashes);
			/* An odd number of backslashes leaves the string open. */
			strcpy(text + n + slashes, slashes % 2 ? "\"]\"]" : "\"]");
			cr_assert_eq(passed(text, strlen(text)), strlen(text), "%zu, %zu", before,
			        slashes);
		}
	}
}

Test(json_skip_unchecked, finds_no_end_before_the_text_has_one)
{
	char text[200];
	memset(text, '[', sizeof(text));
	for (size_t n = 1; n < sizeof(text); n++) {
		cr_expect_eq(passed(text, n), 0);
	}
	for (size_t n = 1; n < sizeof(text); n++) {
		memset(text + 1, ' ', sizeof(text) - 1);
		text[n] = ']';
		cr_expect_eq(passed(text, n), 0);
		cr_expect_eq(passed(text, n + 1), n + 1);
	}
	text[1] = '"'; /* in a string that does not end */
	cr_expect_eq(passed(text, sizeof(text)), 0);
}
