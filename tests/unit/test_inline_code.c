#include "analyzer/compare/meaning/inline_code.h"

#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/compare/meaning/markup.h"
#include "base/letters.h"

/* What stands behind the last colon, if there is one. */
static struct inline_code part_of(const struct buf *words, const struct buf *places)
{
	struct span all = buf_span(words);
	const char *colon = memrchr(all.data, ':', all.len);
	const char *from = colon ? colon + 1 : all.data;
	return (struct inline_code){places, all, span_between(from, all.data + all.len)};
}

static bool agree(const char *a, const char *b)
{
	struct buf pieces[2] = {0}, words[2] = {0}, places[2] = {0};
	const char *const texts[] = {a, b};
	for (size_t i = 0; i < 2; i++) {
		buf_reserve(&words[i], 1);
		markup_pieces(span_of(texts[i]), &pieces[i]);
		markup_plain_placed(span_of(texts[i]), &pieces[i], &words[i], &places[i]);
	}
	struct inline_code x = part_of(&words[0], &places[0]);
	struct inline_code y = part_of(&words[1], &places[1]);
	bool there = inline_code_agree(&x, &y);
	if (span_equal(x.words, y.words)) {
		cr_expect_eq(
		        inline_code_borders_agree(&places[0], &places[1]), there, "%s | %s", a, b);
	}
	cr_expect_eq(inline_code_agree(&y, &x), there, "%s | %s", a, b);
	for (size_t i = 0; i < 2; i++) {
		buf_finish(&pieces[i]);
		buf_finish(&words[i]);
		buf_finish(&places[i]);
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

Test(inline_code, only_of_the_part_that_is_looked_at)
{
	cr_expect(agree("`n` of them: `int`", "some of them: `int`"));
	cr_expect_not(agree("`n` of them: `int!`", "`n` of them: `int`"));
	cr_expect_not(agree("`int`: `int!`", "`int`: `int`"));
	cr_expect_not(agree("int! or int: `int!`", "int! or int: `int`"));
}

Test(inline_code, two_are_not_one)
{
	cr_expect_not(agree("`a` `b`", "`a b`"));
	cr_expect_not(agree("`a` and `b`", "`a and b`"));
	cr_expect_not(agree("`a`, `b c`", "`a b`, `c`, d"));
	cr_expect_not(agree("then `a` `b`", "`a b` then"));
	cr_expect(agree("`a b`", "a b"));
	cr_expect(agree("`a`, then `aa`", "a, then `aa`"));
}

Test(inline_code, one_may_be_longer_where_the_other_is_bare)
{
	struct buf bare = {0}, one = {0}, longer = {0}, two = {0};
	struct markup_place places[] = {{0, 1}, {0, 3}, {2, 3}};
	buf_append(&one, &places[0], sizeof(places[0]));
	buf_append(&longer, &places[1], sizeof(places[1]));
	buf_append(&two, &places[0], sizeof(places[0]));
	buf_append(&two, &places[2], sizeof(places[2]));
	cr_expect(inline_code_borders_agree(&bare, &two));
	cr_expect(inline_code_borders_agree(&one, &longer));
	cr_expect_not(inline_code_borders_agree(&longer, &two));
	cr_expect_not(inline_code_borders_agree(&two, &longer));
	buf_finish(&one);
	buf_finish(&longer);
	buf_finish(&two);
}
