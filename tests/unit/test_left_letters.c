#include "analyzer/compare/meaning/left_letters.h"

#include <criterion/criterion.h>

Test(left_letters, signs_of_arithmetic_are_known_by_their_bytes)
{
	cr_expect_eq(left_letters_sign(SPAN("²x")), 2);
	cr_expect_eq(left_letters_sign(SPAN("½")), 2);
	cr_expect_eq(left_letters_sign(SPAN("⁴")), 3);
	cr_expect_eq(left_letters_sign(SPAN("∙")), 3);
	cr_expect_eq(left_letters_sign(SPAN("é")), 0);
	cr_expect_eq(left_letters_sign(SPAN("x²")), 0);
	cr_expect_eq(left_letters_sign(SPAN("")), 0);
}

Test(left_letters, marks_are_no_letters_and_a_greek_one_is_one)
{
	static const struct {
		const char *run;
		struct left_letters has;
	} rows[] = {{"ABC", {3, true, true}}, {"f''", {1, false, true}}, {"f′", {1, false, true}},
	        {"x₁", {1, false, true}}, {"πr", {2, false, true}}, {"né", {3, false, false}}};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct left_letters has;
		left_letters_count(span_of(rows[i].run), &has);
		cr_expect_eq(has.count, rows[i].has.count, "%s", rows[i].run);
		cr_expect_eq(has.capitals, rows[i].has.capitals, "%s", rows[i].run);
		cr_expect_eq(has.formula, rows[i].has.formula, "%s", rows[i].run);
	}
}
