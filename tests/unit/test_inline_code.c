#include "analyzer/meaning/inline_code.h"

#include <criterion/criterion.h>

#include "analyzer/meaning/markup.h"

static bool agree(const char *a, const char *b)
{
	struct buf pieces[2] = {0}, words[2] = {0};
	const char *const texts[] = {a, b};
	for (size_t i = 0; i < 2; i++) {
		buf_reserve(&words[i], 1);
		markup_pieces(span_of(texts[i]), &pieces[i]);
		markup_plain(span_of(texts[i]), &pieces[i], false, &words[i]);
	}
	struct inline_code x = {&pieces[0], buf_span(&words[0])};
	struct inline_code y = {&pieces[1], buf_span(&words[1])};
	bool there = inline_code_agree(&x, &y);
	cr_expect_eq(inline_code_agree(&y, &x), there, "%s | %s", a, b);
	for (size_t i = 0; i < 2; i++) {
		buf_finish(&pieces[i]);
		buf_finish(&words[i]);
	}
	return there;
}

Test(inline_code, the_same_codes_or_none)
{
	cr_expect(agree("", ""));
	cr_expect(agree("no code", "none here"));
	cr_expect(agree("`a` and `b`", "`a`, then `b`"));
	cr_expect(agree("``a``", "`a`"));
}

Test(inline_code, each_character_counts)
{
	cr_expect_not(agree("`a!`", "`a`"));
	cr_expect_not(agree("`A`", "`a`"));
	cr_expect_not(agree("`a` and `b`", "`b` and `a`"));
}

Test(inline_code, some_without_their_backquotes)
{
	cr_expect(agree("`a` and `b`", "`a` and b"));
	cr_expect(agree("`a`", "a"));
	cr_expect_not(agree("`a` and `B`", "`a` and b"));
	cr_expect_not(agree("`x`", "none"));
}
