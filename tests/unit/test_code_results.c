#include "analyzer/compare/meaning/code_results.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/letters.h"

/* The results of a program whose comments begin with "#" and end with their line, by lines. */
static const char *results_of(const char *program)
{
	static struct buf list;
	struct code_results r = {0};
	struct span code = span_of(program), result;
	const char *p = program, *end = program + strlen(program);
	buf_clear(&list);
	while ((p = strchr(p, '#'))) {
		const char *feed = strchr(p, '\n');
		struct span comment = span_between(p, feed ? feed : end);
		if (code_results_next(&r, code, comment, &result)) {
			buf_append_span(&list, result);
			buf_append_char(&list, ';');
		}
		p = comment.data + comment.len;
	}
	return buf_cstr(&list);
}

#define TELLS(program, results) cr_expect_str_eq(results_of(program), results, "%s", program)

Test(code_results, a_word_for_what_came_out_leads_to_it)
{
	TELLS("f()\n# Output: abc def\ng()", "abc def;");
	TELLS("f()\n# The expected output is: abc\ng()", "abc;");
	TELLS("f()\n# Output is abc\ng()", "abc;");
	TELLS("f()\n# Output (for 2): abc\ng()", "abc;");
	TELLS("f()\n# Output for 2: abc\ng()", "abc;");
	TELLS("f()\n# Result - abc\ng()", "abc;");
	TELLS("f()\n# Output is the list of names\ng()", "");
}

Test(code_results, an_arrow_a_name_or_a_call_leads_to_it)
{
	TELLS("f()\n# -> abc\ng()", "abc;");
	TELLS("f()\n# f(2) => abc\ng()", "abc;");
	TELLS("f()\n# f(2) is abc\ng()", "abc;");
	TELLS("s = f()  # s = abc\ng()", "abc;");
}

Test(code_results, a_verb_leads_to_a_few_words_that_explain_nothing)
{
	TELLS("f()  # prints abc def.\ng()", "abc def;");
	TELLS("f()\n# returns red, blue\n\ng()", "red, blue;");
	TELLS("f()  # prints each of the lines\ng()", "");
	TELLS("# Returns user name\ndef f(x):", "");
	TELLS("return x  # returns input unchanged\n", "");
	TELLS("# Print header row\nf()", "");
}

Test(code_results, nothing_leads_to_it_where_results_stand)
{
	TELLS("f()  # abc\ng()", "abc;");
	TELLS("f()  # [red, blue]\ng()", "[red, blue];");
	TELLS("f()  # call it once\ng()", "");
	TELLS("print(f())  # hello world\ng()", "hello world;");
	TELLS("print(f())  # show the sum\ng()", "");
	TELLS("f()\n# hello world\n", "hello world;");
	TELLS("f()\n# hello world\ng()", "");
	TELLS("def f(x):  # helper\n    g()", "");
}

Test(code_results, below_an_output_that_is_empty_each_line_is_one)
{
	TELLS("f()\n# Output:\n# a\n# b c d e f\ng()", "a;b c d e f;");
	TELLS("f()\n# Output\n#\n# a\n#\n# b\ng()", "a;b;");
	TELLS("f()\n# Output:\n\n# a\n\n# Then the rest of it\ng()", "a;");
}

Test(code_results, quotation_marks_stay_where_nothing_leads_to_them_or_around_a_number)
{
	TELLS("f()\n# Output: \"abc\"\ng()", "abc;");
	TELLS("f()\n# Output: '4'\ng()", "'4';");
	TELLS("f()  # 'abc'\ng()", "'abc';");
	TELLS("f()\n# Output: a.\ng()", "a.;");
}

Test(code_results, nothing_is_written_where_none_is_told)
{
	struct code_results r = {0};
	struct span code = SPAN("f()\n# Output:\n# a"), comment = {code.data + 4, 9};
	struct span result = SPAN("as it was");
	cr_expect_not(code_results_next(&r, code, comment, &result));
	cr_expect(span_is(result, "as it was"));
}

static bool agree(const char *a, const char *b)
{
	return code_results_agree(span_of(a), span_of(b));
}

Test(code_results, two_lists_agree_where_both_tell_the_same_at_each_place)
{
	cr_expect(agree("4 a\n9 b\n", "4 a\n9 b\n"));
	cr_expect(agree("4 a\n9 b\n", "9 b\n"));
	cr_expect(agree("4 a\n", "9 b\n"));
	cr_expect(agree("4 a\n", ""));
	cr_expect_not(agree("4 a\n9 b\n", "4 b\n"));
	cr_expect_not(agree("4 a\n4 b\n", "4 a\n"));
	cr_expect_not(agree("4 a\n4 b\n", "4 b\n4 a\n"));
	struct buf list = {0};
	code_results_put(&list, 12, SPAN("a b"));
	cr_expect(span_is(buf_span(&list), "12 a b\n"));
	buf_finish(&list);
}
