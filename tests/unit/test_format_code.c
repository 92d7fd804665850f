#include "analyzer/compare/meaning/format_code.h"

#include <criterion/criterion.h>
#include <string.h>

struct row {
	const char *language, *a, *b;
	enum agreement want;
};

#define S AGREE_SAME
#define U AGREE_UNDECIDED
#define D AGREE_CHANGED
#define NEVER (-1) /* anything but the same */

static void assert_rows(const struct row *rows, size_t n)
{
	static const char *const names[] = {"same", "undecided", "changed"};
	for (size_t i = 0; i < n; i++) {
		const struct row *r = &rows[i];
		enum code_language l = code_language_of(span_of(r->language));
		enum agreement got = code_agreement(span_of(r->a), span_of(r->b), l);
		cr_expect((int)r->want == NEVER ? got != S : got == r->want, "%s <%s> <%s>: %s",
		        r->language, r->a, r->b, names[got]);
		cr_expect_eq(code_agreement(span_of(r->b), span_of(r->a), l), got, "<%s>", r->b);
		cr_expect_eq(code_agreement(span_of(r->a), span_of(r->a), l), S, "<%s>", r->a);
	}
}

Test(format_code, python)
{
	static const struct row rows[] = {{"python", "x=1", "x = 1", S},
	        {"python", "x = 1 # a", "x = 1", S},
	        {"python", "if x:\n  a()", "if x:\n    a()", S},
	        {"python", "if x:\n\ta()", "if x:\n    a()", S},
	        {"python", "if x:\n    a()\n    b()", "if x:\n    a()\nb()", U},
	        {"python", "x+1", "x-1", D}, {"python", "f(a,\n  b)", "f(a, b)", S},
	        {"python", "f(a,b,)", "f(a,b)", U}, {"python", "f(a,b,)", "f(b,a)", U},
	        {"python", "'a'\nx", "'b'\nx", U}, {"python", "'a'\nx", "x", U},
	        {"python", "'a'\nx", "'b'\ny", NEVER},
	        {"python", "def f(x: int = 1) -> int:\n  x", "def f(x=1):\n  x", U},
	        {"python", "def f(x: int = 1) -> int:\n  x", "def f(x=2):\n  x", U},
	        {"python", "x: int = 1", "x = 1", U}, {"python", "x: int = 1", "x = 2", U},
	        {"python", "else: x = 1", "else: x = 2", D}, {"python", "a = 'x'", "a = \"x\"", S},
	        {"python", "a = 'x # y'", "a = 'x '", U},
	        {"python", "a = '''x\n# y'''", "a = '''x\n'''", U},
	        {"python", "a\n\n\nb", "a\nb", S}, {"python", "a\nb", "a b", U},
	        {"python", "a = 1\\\n+ 2", "a = 1 + 2", S},
	        {"python", "a = 1\n+ 2", "a = 1 + 2", U}, {"python", "r'\\d'", "'\\d'", U},
	        {"python", "f'{a}'", "'{a}'", U},
	        {"python", "f'{x[\"#\"]}' # c", "f'{x[\"#\"]}'", S},
	        {"python", "f\"{x[\"#\"]}\"", "f\"{x[\"#\"]}", NEVER},
	        {"python", "a = 'x", "a = \"x", NEVER}, {"python", "x = 1.0", "x = 1", U},
	        {"python", "foo=1;foo", "bar=1;bar", U},
	        {"python", "return True", "return False", U},
	        {"python", "x is None", "x is not None", U},
	        {"python", "if x:\n  a\n   b", "if x:\n  a\n  b", NEVER},
	        {"python", "# only", "", S}, {"python", "print (x)", "print(x)", S},
	        {"python", "a = b = 1", "a == b = 1", U}, {"python", "ab", "a b", U}};
	assert_rows(rows, ARRAY_LEN(rows));
}

Test(format_code, c_and_its_kin)
{
	static const struct row rows[] = {{"c", "int a;", "int  a ;", S},
	        {"c", "int a; // x", "int a;", S}, {"c", "int a; /* x */", "int a;", S},
	        {"c", "a/*b*/c", "ac", U}, {"c", "a;\nb;", "a; b;", S}, {"c", "\"//\"", "\"\"", U},
	        {"c", "'\"' // c", "'\"'", S}, {"c", "a+ +b", "a++b", U},
	        {"c", "#include <a>\nb", "#include <a> b", U},
	        {"c", "#define F(x) y", "#define F (x) y", NEVER}, {"c", "// a\\\nb;", "", NEVER},
	        {"c", "a /* b", "a", NEVER}, {"cpp", "R\"(//)\" ", "R\"(//)\"", S},
	        {"cpp", "R\"(// a)\"", "R\"(// b)\"", NEVER},
	        {"cpp", "x = 1'000;", "x = 1'000 ;", U},
	        {"rust", "fn f<'a>(x: &'a str) {} // c", "fn f<'a>(x: &'a str) {}", U},
	        {"rust", "let s = r#\"//\"#;", "let s = r#\"", NEVER},
	        {"java", "String s = \"\"\"\n// a\n\"\"\";", "String s = \"\"\"\n\"\"\";", NEVER},
	        {"java", "if (a) { b(); }", "if (a) {\n\tb();\n}", S},
	        {"c", "return x+1;", "return x-1;", D},
	        {"c", "char c = '//';", "char c = '", NEVER},
	        {"cs", "$\"{a[\"//\"]}\"", "$\"{a[\"", NEVER}, {"c", "(a", "(a ", S},
	        {"c", "a)", "a )", NEVER}};
	assert_rows(rows, ARRAY_LEN(rows));
}

Test(format_code, languages_where_a_line_feed_may_end_a_statement)
{
	static const struct row rows[] = {{"js", "return x", "return\nx", U},
	        {"js", "a = 1; // b", "a = 1;", S}, {"js", "f(a,\nb)", "f(a, b)", S},
	        {"js", "{\na\n}", "{ a\n}", S}, {"js", "a\n\n\nb", "a\nb", S},
	        {"js", "x = /\\/\\//g", "x = /\\/", NEVER},
	        {"js", "x = a / b // c", "x = a / b", S},
	        {"js", "x = /[/]/; // c", "x = /[/]/;", U},
	        {"js", "return /\\// // a", "return /\\/", NEVER}, {"js", "`a // ${b}`", "`a `", U},
	        {"js", "`a ${`b`} // c`", "`a ${`b`}", NEVER},
	        {"ts", "let x: number = 1", "let x : number=1", S},
	        {"js", "<a>http://x</a>", "<a>http:", NEVER}, {"js", "'a", "'a ", S},
	        {"js", "a ?? b", "a ? b", U}, {"js", "x === y", "x == y", U},
	        {"go", "a := 1\nb := 2", "a := 1; b := 2", U}, {"go", "`a\n// b`", "`a\n`", U},
	        {"go", "x := 1 // y", "x := 1", S}};
	assert_rows(rows, ARRAY_LEN(rows));
}

Test(format_code, unknown_languages)
{
	static const struct row rows[] = {{"ruby", "x = 1  \n", "x = 1", S},
	        {"sql", "select a -- b", "select a", U}, {"bash", "ls  -l", "ls -l", U},
	        {"ruby", "x = 1 # a", "x = 1", U}, {"ruby", "x  = 1", "x = 1", U},
	        {"", "a\n\nb", "a\nb", NEVER}, {"", "\n\na\n", "a", S}, {"", "  a", "a", NEVER},
	        {"", "", "", S}, {"", "a", "", NEVER}};
	assert_rows(rows, ARRAY_LEN(rows));
}

Test(format_code, comments_of_one_side_do_not_count_unless_a_tool_may_read_them)
{
	static const struct row rows[] = {{"python", "x # sets x, of O(1)", "x", S},
	        {"python", "x # one", "x # two", U}, {"python", "#!/bin/a\nx", "x", U},
	        {"python", "# type: int\nx", "x", U}, {"python", "# -*- a -*-\nx", "x", U},
	        {"go", "//go:build a\nx", "x", U}, {"ts", "// @ts-ignore\nx", "x", U},
	        {"c", "/* sets x */ x;", "x;", S}, {"c", "/** sets x\n * so */ x;", "x;", S}};
	assert_rows(rows, ARRAY_LEN(rows));
}
