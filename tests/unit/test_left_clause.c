#include "analyzer/compare/meaning/left_clause.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/letters.h"

static bool reaches(const char *text, const char *clause)
{
	struct span s = span_trim(left_clause_of(text, text + strlen(text)));
	return span_is(s, clause);
}

Test(left_clause, it_begins_at_a_comma_a_sentence_or_a_formula)
{
	cr_expect(reaches("So 3x, x =", "x"));
	cr_expect(reaches("That was it. Now x =", "Now x"));
	cr_expect(reaches("We know that $x =", "x"));
	cr_expect(reaches("We know that \\[x =", "x"));
	cr_expect(reaches("3\\,x =", "3\\,x"));
}

Test(left_clause, a_comma_in_brackets_parts_nothing)
{
	cr_expect(reaches("$3\\max(x, y) =", "3\\max(x, y)"));
	cr_expect(reaches("1) So, x =", "x"));
}

Test(left_clause, before_a_formula_that_was_closed_the_words_are_its_too)
{
	cr_expect(reaches("Here, the sum of $x$ and $y$ =", "the sum of $x$ and $y$"));
	cr_expect(reaches("As $x = 3$ so is $y$ =", "so is $y$"));
}

Test(left_clause, its_first_side_is_behind_its_last_arrow)
{
	cr_expect(span_is(left_clause_first(SPAN("3x = 15 \\implies x = 15/3 ")), "x"));
	cr_expect(span_is(left_clause_first(SPAN("\\sum_{n=1} n = 3")), "\\sum_{n=1} n"));
}

Test(left_clause, a_formula_goes_on_from_its_sign_or_from_the_line_before)
{
	static const char *const in[] = {
	        "$", "a $x$ $", "$$", "\\(", "\\[\n", "$$\n", "$$\nx \\\\\n", "\\begin{align}\n"};
	static const char *const out[] = {"", "$x$ ", "\\(x\\) ", "$$\nx\n$$\n", "a\n", "{b}\n"};
	for (size_t i = 0; i < ARRAY_LEN(in); i++) {
		cr_expect(left_clause_in_formula(in[i], in[i] + strlen(in[i])), "%s", in[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(out); i++) {
		cr_expect_not(
		        left_clause_in_formula(out[i], out[i] + strlen(out[i])), "%s", out[i]);
	}
}
