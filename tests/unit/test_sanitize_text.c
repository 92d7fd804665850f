#include "base/sanitize_text.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void assert_shown(struct span text, size_t limit, const char *expected)
{
	char *shown = sanitize_text(text, limit);
	cr_expect_str_eq(shown, expected);
	free(shown);
}

static void assert_put(struct span text, size_t limit, const char *expected)
{
	struct buf to = {0};
	sanitize_put(&to, text, limit);
	cr_expect_str_eq(buf_cstr(&to), expected);
	buf_finish(&to);
}

Test(sanitize_text, no_control_sequence_reaches_a_terminal)
{
	struct span text = SPAN("a\x1b[31m\nb\xc2\x9b \x7f");
	assert_shown(text, 100, "a [31m b   ");
	assert_put(text, 100, "a [31m b   ");
}

Test(sanitize_text, a_control_character_of_eight_bits_is_not_passed_on)
{
	assert_shown(SPAN("a\x9b[31mb"), 100, "a?[31mb");
	assert_put(SPAN("a\x9b[31mb"), 100, "a?[31mb");
}

Test(sanitize_text, a_text_is_not_cut_within_a_character)
{
	assert_shown(SPAN("ab\xf0\x9f\x98\x80"), 4, "ab...");
	assert_shown(SPAN("ab\xf0\x9f\x98\x80"), 6, "ab\xf0\x9f\x98\x80");
	assert_shown((struct span){0}, 6, "");
}

Test(sanitize_text, characters_are_counted_not_bytes)
{
	assert_put(SPAN("abé"), 3, "abé");
	assert_put(SPAN("abéd"), 3, "ab…");
	assert_put(SPAN("é"), 1, "é");
	assert_put((struct span){0}, 1, "");
}
