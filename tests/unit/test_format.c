#include "analyzer/compare/meaning/format.h"

#include <criterion/criterion.h>
#include <string.h>

static void assert_rung(const char *a, const char *b, enum rung want)
{
	struct format f = {0};
	enum rung got = format_compare(&f, span_of(a), span_of(b));
	enum rung back = format_compare(&f, span_of(b), span_of(a));
	enum rung self = format_compare(&f, span_of(a), span_of(a));
	cr_expect_eq(got, want, "<%s> and <%s>: %s, not %s", a, b, rung_name(got), rung_name(want));
	cr_expect_eq(back, got, "<%s> and <%s>", b, a);
	cr_expect_eq(self, RUNG_BYTES, "<%s>", a);
	format_finish(&f);
}

static void assert_unicode(const char *text, const char *want)
{
	struct buf got = {0}, again = {0};
	format_unicode(span_of(text), &got);
	cr_expect(span_is(buf_span(&got), want), "<%s> became <%.*s>, not <%s>", text, (int)got.len,
	        got.data, want);
	format_unicode(buf_span(&got), &again);
	cr_expect(span_equal(buf_span(&again), buf_span(&got)), "<%s>: not its own form", text);
	buf_finish(&got);
	buf_finish(&again);
}

Test(format, the_unicode_form)
{
	static const char *const rows[][2] = {{"", ""}, {"plain", "plain"},
	        {"a\r\nb\rc\n", "a\nb\nc\n"}, {"cafe\xcc\x81", "café"}, {"A\xcc\x8a", "Å"},
	        {"\xe2\x84\xab", "Å"}, {"ᄒ\xe1\x85\xa1\xe1\x86\xab", "한"},
	        {"a\u00a0b\u2009c\u3000d", "a b c d"}, {"‘a’ “b”", "'a' \"b\""},
	        {"a‐b‑c–d−e", "a-b-c-d-e"}, {"a—b", "a—b"}, {"1…", "1..."}, {"ＡＢ１！", "AB1!"},
	        {"so\u00adft\u200b\u2060", "soft"}, {"x²", "x²"}, {"ﬁ", "ﬁ"},
	        {"👩\u200d🚀", "👩\u200d🚀"}, {"می\u200cخواهم", "می\u200cخواهم"},
	        {"\xff\xfe", "\xff\xfe"}, {"caf\xc3", "caf\xc3"}, {"a\u2028b", "a\nb"},
	        {"`“a”`", "`“a”`"}, {"```\n“a”\r\n```", "```\n“a”\n```"},
	        {"“a” `“b”`", "\"a\" `“b”`"}, {"{\"a\":\"“x”\"}", "{\"a\":\"“x”\"}"}};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		assert_unicode(rows[i][0], rows[i][1]);
	}
}

Test(format, the_first_rung_of_agreement)
{
	assert_rung("", "", RUNG_BYTES);
	assert_rung("a", "a", RUNG_BYTES);
	assert_rung("a", "b", RUNG_DIFFERENT);
	assert_rung("", " ", RUNG_SPACE);
	assert_rung("", "a", RUNG_DIFFERENT);
	assert_rung("“a”", "\"a\"", RUNG_UNICODE);
	assert_rung("“a” ", "\"a\"", RUNG_SPACE);
	assert_rung("“*a*” ", "\"a\"", RUNG_DIFFERENT);
	assert_rung("**“a”** ", "\"a\"", RUNG_MARKUP);
	assert_rung("a  b", "a b", RUNG_SPACE);
	assert_rung("a\tb", "a b", RUNG_DIFFERENT);
	assert_rung("a\n\nb", "a\nb", RUNG_SPACE);
	assert_rung("a\nb", "a b", RUNG_DIFFERENT);
	assert_rung("- a\n  - b", "- a\n - b", RUNG_DIFFERENT);
	assert_rung("  x\n  y", "x\n  y", RUNG_DIFFERENT);
	assert_rung("**1,000** apples.", "1000 apples.", RUNG_STRUCTURE);
	assert_rung("It was 1,000.", "It was 1000.", RUNG_STRUCTURE);
	assert_rung("It was 1,00.", "It was 100.", RUNG_DIFFERENT);
	assert_rung("It was 5.0%.", "It was 5%.", RUNG_STRUCTURE);
	assert_rung("It was 5%.", "It was 5.", RUNG_DIFFERENT);
	assert_rung("It is 3.10.", "It is 3.1.", RUNG_DIFFERENT);
	assert_rung("v1.0", "v1", RUNG_DIFFERENT);
	assert_rung("call 0049", "call 49", RUNG_DIFFERENT);
	assert_rung("f(1,000)", "f(1000)", RUNG_DIFFERENT);
	assert_rung("`1.0`", "`1`", RUNG_DIFFERENT);
	assert_rung("`x` is 1,000", "`x` is 1000", RUNG_STRUCTURE);
	assert_rung("`x` is 1,000", "x is 1000", RUNG_DIFFERENT);
	assert_rung("`a b` c", "`a` `b` c", RUNG_DIFFERENT);
	assert_rung("`a b` c", "a b c", RUNG_MARKUP);
	assert_rung("See {\"a\": 1.0} here", "See {\"a\":1} here", RUNG_STRUCTURE);
	assert_rung("See {\"a\": 1.0} here", "See {\"a\":1} there", RUNG_DIFFERENT);
	assert_rung("```json\n{\"a\": 1}\n```", "{\"a\": 1}", RUNG_MARKUP);
	assert_rung("```json\n{\"b\": 1, \"a\": 2}\n```", "{\"a\": 2, \"b\": 1}", RUNG_STRUCTURE);
	assert_rung("a\n```python\nx=1\n```\nb", "a\n```python\nx = 1\n```\nb", RUNG_STRUCTURE);
	assert_rung("a\n```python\nx=1\n```\nb", "a\nb\n```python\nx = 1\n```", RUNG_DIFFERENT);
	assert_rung("a \x01", "a\n```\nx\n```", RUNG_DIFFERENT);
	assert_rung("\xff", "\xfe", RUNG_DIFFERENT);
	assert_rung("\xff ", "\xff", RUNG_SPACE);
}

Test(format, a_ladder_is_used_again)
{
	struct format f = {0};
	for (int i = 0; i < 3; i++) {
		cr_expect_eq(format_compare(&f, SPAN("**a**"), SPAN("a")), RUNG_MARKUP);
		cr_expect_eq(format_compare(&f, SPAN("b"), SPAN("a")), RUNG_DIFFERENT);
		cr_expect(span_is(f.a.words, "b") && span_is(f.b.words, "a"));
	}
	format_finish(&f);
}
