#include "analyzer/compare/meaning/format_markup.h"

#include <criterion/criterion.h>
#include <string.h>

static void assert_plain(const char *text, const char *want)
{
	struct buf pieces = {0}, got = {0};
	markup_pieces(span_of(text), &pieces);
	markup_plain(span_of(text), &pieces, false, &got);
	cr_expect(span_is(buf_span(&got), want), "<%s> became <%.*s>, not <%s>", text, (int)got.len,
	        got.data, want);
	buf_finish(&pieces);
	buf_finish(&got);
}

Test(format_markup, is_taken_off)
{
	static const char *const rows[][2] = {{"**a**", "a"}, {"*a*", "a"}, {"***a***", "a"},
	        {"__a b__", "a b"}, {"_A_", "A"}, {"(**a**)", "(a)"}, {"**a**, b", "a, b"},
	        {"**a** and **b**", "a and b"}, {"**a *b* c**", "a b c"}, {"# A title", "A title"},
	        {"### **A**", "A"}, {"* a", "- a"}, {"• a\n• b", "- a\n- b"},
	        {"1) a\n2) b", "1. a\n2. b"}, {"`a`", "a"}, {"``a`b``", "a`b"}, {"\\boxed{5}", "5"},
	        {"so \\boxed{a{b}c}.", "so a{b}c."}, {"$x$", "x"}, {"$x^2 + 1$", "x^2 + 1"},
	        {"$$x$$", "x"}, {"\\(x\\)", "x"}, {"\\[x\\]", "x"}, {"$\\text{a b}$", "a b"},
	        {"$5\\,\\text{km}$", "5km"}, {"$2 \\times 3$", "2 × 3"}, {"$1{,}000$", "1,000"},
	        {"$50\\%$", "50%"}, {"$90^\\circ$", "90°"}, {"$\\left(x\\right)$", "(x)"},
	        {"a\\_b", "a_b"}, {"5\\%", "5%"}, {"```\na\n```", "a"}, {"~~~c\na\n~~~", "a"},
	        {"x\n```\n a\n\n b\n```\ny", "x\n a\n\n b\ny"}, {"```\na", "a"},
	        {"\\boxed{\\text{A}}", "A"}};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		assert_plain(rows[i][0], rows[i][1]);
	}
}

Test(format_markup, what_may_be_content_stays)
{
	static const char *const rows[] = {"", "2*3*4", "2 * 3 * 4", "a_b_c", "__init__",
	        "_private", "5 ** 2", "**kwargs", "f(*args, **kwargs)", "*.c", "a*", "*", "**",
	        "****", "_", "__", "- 5", "+ 3", "- 5\n- 3", "* 5", "- a\n  - b", "<b>a</b>",
	        "> a b c", "> 5", ">= 5", "# 5", "# rm -rf x", "#5", "2. a", "1. a", "3. a\n4. b",
	        "1. a\n3. b", "$5", "$5 and $6", "$5-$6", "US$5 (US$) each", "$a$b", "$ x $",
	        "cost $HOME/bin:$PATH", "~~a~~", "[a](b)", "![a](b)", "&amp;", "a < b > c",
	        "<sub>2</sub>", "<div>a</div>", "\\d+\\.\\w", "\\text{a}", "C:\\new", "`a", "``a`",
	        "| a | b |", "---", "\\boxed{", "\\boxed{a", "x^{2}", "a|b", "{a}", "[1]"};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		assert_plain(rows[i], rows[i]);
	}
}

static void assert_pieces(const char *text, const char *kinds)
{
	struct buf pieces = {0};
	markup_pieces(span_of(text), &pieces);
	const char *at = text;
	bool fit = markup_count(&pieces) == strlen(kinds);
	for (size_t i = 0; i < markup_count(&pieces) && fit; i++) {
		const struct markup_piece *p = markup_piece(&pieces, i);
		fit = "pifjc"[p->kind] == kinds[i] && p->all.data == at;
		at += p->all.len;
	}
	cr_expect(fit && at == text + strlen(text), "<%s>", text);
	buf_finish(&pieces);
}

Test(format_markup, a_text_is_cut_into_pieces)
{
	static const char *const rows[][2] = {{"", ""}, {"a", "p"}, {"a `b` c", "pip"},
	        {"`a``b`", "i"}, {"a\n```\nb\n```\nc", "pfp"}, {"```\nb", "f"}, {"```a`b\nc", "p"},
	        {"~~~\na\n```\n~~~", "f"}, {"````\n```\n````", "f"}, {"{\"a\":1}", "j"},
	        {"x {\"a\":1} y", "pjp"}, {"[\"a\"]", "j"}, {"[1]", "p"}, {"{}", "p"},
	        {"\\frac{1}{2}", "p"}, {"{\"a\":}", "p"}, {"x[\"a\"]", "p"},
	        {"int main() {\n}", "c"}, {"x = 1;", "c"}, {"def f(x):\n    return x", "c"},
	        {"import os\nprint(1)", "c"}, {"SELECT a FROM b", "c"},
	        {"If it rains (or not) I go.", "p"}, {"`a\n\nb`", "p"},
	        {"for (int i;;) {\n  a;\n}", "c"}};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		assert_pieces(rows[i][0], rows[i][1]);
	}
}

Test(format_markup, a_fence_has_a_language)
{
	struct buf pieces = {0};
	markup_pieces(SPAN("```python title=x\na\n```"), &pieces);
	cr_assert_eq(markup_count(&pieces), 1);
	cr_expect(span_is(markup_piece(&pieces, 0)->label, "python"));
	cr_expect(span_is(markup_piece(&pieces, 0)->inside, "a\n"));
	buf_finish(&pieces);
}
