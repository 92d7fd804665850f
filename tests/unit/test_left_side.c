#include "analyzer/compare/meaning/left_side.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/letters.h"

static bool plain(const char *text, struct span *ret_variable)
{
	*ret_variable = (struct span){0};
	return left_side_is_plain(text, text + strlen(text), ret_variable);
}

Test(left_side, a_lone_name_is_plain_and_the_variable)
{
	static const char *const names[] = {"x", "x_1", "AB", "f(2)", "f'(2)", "E[X]"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char text[32];
		struct span variable;
		(void)snprintf(text, sizeof(text), "So $%s =", names[i]);
		cr_expect(plain(text, &variable), "%s", text);
		cr_expect(span_same(variable, names[i]), "%s", text);
	}
}

Test(left_side, words_and_what_is_to_be_worked_out_are_plain)
{
	static const char *const texts[] = {"=",
	        "2 + 3 =", "The total is 2 + 3 =", "**Total** =", "\\frac{10}{2} =",
	        "\\int_0^1 10x\\,dx =", "\\sum_{n=1}^{4} n =", "- Total =", "The x-coordinate =",
	        "m + n =", "\\text{Area} = \\frac{1}{2} \\cdot 3 =", "3x = 15 \\implies x ="};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct span variable;
		cr_expect(plain(texts[i], &variable), "%s", texts[i]);
	}
}

Test(left_side, a_name_may_be_a_command_a_call_or_capitals)
{
	static const char *const texts[] = {"$\\mathbb{E}[X] =", "$\\Pr(A) =", "$\\triangle ABC =",
	        "$m\\angle ABC =", "$LHS =", "$f''(2) =", "$f(2, 3) =", "$\\text{Total cost} ="};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct span variable;
		cr_expect(plain(texts[i], &variable), "%s", texts[i]);
	}
}

Test(left_side, words_around_a_name_may_leave_it_what_it_is)
{
	static const char *const texts[] = {
	        "Speed (km/h) =", "• Total =", "A total =", "The value of x =", "The sum S =",
	        "The sum of a list =", "The x value =", "So $x$ ="};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct span variable;
		cr_expect(plain(texts[i], &variable), "%s", texts[i]);
	}
}

Test(left_side, words_that_make_another_value_of_a_name_make_it_a_term)
{
	static const char *const texts[] = {
	        "The sum of x and y =", "the average of a and b =", "The reciprocal of x =",
	        "x squared =", "sin x =", "sqrt(x) =", "10% of x =", "The sum of $x$ and $y$ =",
	        "The sum of \\(x\\) and \\(y\\) =", "Twice $x =", "half of $x ="};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct span variable;
		cr_expect_not(plain(texts[i], &variable), "%s", texts[i]);
	}
}

Test(left_side, what_is_worked_out_is_a_name_of_its_own_only_where_it_stands_alone)
{
	static const char *const alone[] = {"$\\max(x, y) =", "$\\max\\{x, y\\} =",
	        "$\\int_0^1 x^2 + 1\\,dx =", "$\\sum_i x_i =", "$\\det A =",
	        "$\\max\\left(2, 3\\right) + 2 =", "$3 \\cdot \\binom{5}{2} ="};
	static const char *const beside[] = {"$3\\max(x, y) =", "$x + \\max(2, 3) =",
	        "$\\max(x, y) + 3 =", "$-\\int_0^1 f(x)\\,dx =", "$\\int_0^1 f(x)\\,dx + 3 =",
	        "$3 + \\sum_i x_i =", "$\\sum_i x_i - 3 =", "$2\\binom{n}{2} ="};
	struct span variable;
	for (size_t i = 0; i < ARRAY_LEN(alone); i++) {
		cr_expect(plain(alone[i], &variable), "%s", alone[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(beside); i++) {
		cr_expect_not(plain(beside[i], &variable), "%s", beside[i]);
	}
}

Test(left_side, letters_in_a_formula_are_a_product)
{
	static const char *const texts[] = {"$abc =", "$3xyz =", "$$\nabc =", "\\[ abc =",
	        "\\begin{align}\nabc &=", "So $abc$ =", "3xyz =", "$3ABC =", "$2πr ="};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct span variable;
		cr_expect_not(plain(texts[i], &variable), "%s", texts[i]);
	}
	struct span variable;
	cr_expect(plain("$$\nx = 3\n$$\nTotal cost =", &variable));
}

Test(left_side, a_name_with_a_command_is_named_whole)
{
	struct span variable;
	cr_expect(plain("So $\\angle ABC =", &variable));
	cr_expect(span_same(variable, "\\angle ABC"));
}

Test(left_side, a_term_is_not)
{
	static const char *const texts[] = {"3x =", "x/2 =", "x^2 =", "x² =", "√x =", "-x =",
	        "x! =", "xy =", "x - y =", "total/2 =", "$\\text{total} \\times 2 =", "2 * total =",
	        "\\sqrt{x} =", "\\frac1x =", "x \\bmod 7 =", "x mod 7 =", "half of the total =",
	        "$3x$ =", "$x$/2 =", "3x = y =", "2\\theta =", "f(x) - 1 =", "x⁴ =", "½x =", "∛x =",
	        "x ∙ y =", "x • y =", "3x₁ =", "x(x + 1) ="};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct span variable;
		cr_expect_not(plain(texts[i], &variable), "%s", texts[i]);
	}
}

Test(left_side, a_sum_of_names_is_named_whole)
{
	struct span variable;
	cr_expect(plain("$x + y =", &variable));
	cr_expect(span_same(variable, "x + y"));
}

Test(left_side, however_long_and_cut_off_it_is_only_so_much_is_read)
{
	static const char ends[] = "\\_({^x-";
	for (size_t i = 0; i < strlen(ends); i++) {
		char text[5000];
		struct span variable = {0};
		memset(text, ends[i], sizeof(text));
		text[sizeof(text) - 1] = '=';
		(void)left_side_is_plain(text, text + sizeof(text), &variable);
		cr_expect_leq(variable.len, 500);
	}
}
