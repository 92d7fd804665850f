#include "analyzer/meaning/left_side.h"

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
	static const char *const names[] = {"x", "x_1", "AB", "f(2)"};
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

Test(left_side, a_term_is_not)
{
	static const char *const texts[] = {"3x =", "x/2 =", "x^2 =", "x² =", "√x =", "-x =",
	        "x! =", "xy =", "x - y =", "total/2 =", "2 * total =", "\\sqrt{x} =", "\\frac1x =",
	        "x \\bmod 7 =", "x mod 7 =", "half of the total =", "$3x$ =", "$x$/2 =", "3x = y =",
	        "2\\theta =", "f(x) - 1 ="};
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
