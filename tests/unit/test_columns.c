#include "answers/tokens/columns.h"

#include "tests/unit/readings.h"

Test(columns, built_columns_are_those_that_were_given)
{
	struct columns_builder *b = columns_builder_create();
	struct columns c;
	columns_builder_token(b, span_of("a"), 1, -1.5f, TOKEN_NOT_TOP);
	columns_builder_top(b, span_of("x"), 2, -0.5f);
	columns_builder_top(b, span_of("a"), 1, -1.5f);
	columns_builder_token(b, span_of(""), -1, NAN, TOKEN_MISSING);
	columns_builder_token(b, span_of("bc"), 3, 0, 0);
	columns_builder_top(b, span_of("bc"), 3, 0);
	columns_builder_end(b, &c);
	cr_assert_eq(c.n, 3);
	cr_assert(span_is(columns_token(&c, 2), "bc") && columns_token(&c, 1).len == 0);
	cr_assert(c.top_end[0] == 2 && c.top_end[1] == 2 && c.top_end[2] == 3);
	cr_assert(
	        span_is(columns_top_token(&c, 0), "x") && span_is(columns_top_token(&c, 2), "bc"));
	cr_assert(c.flags[0] == TOKEN_NOT_TOP && isnan(c.lp[1]) && c.top_ids[1] == 1);
	columns_finish(&c);
	columns_finish(&c);
}

/* Builds n tokens with this logprob. rows: the number of alternatives of each; the first has this
 * logprob, the others have `other`. */
static bool are_zeros(int n, float lp, int rows, float other)
{
	struct columns_builder *b = columns_builder_create();
	struct columns c;
	for (int i = 0; i < n; i++) {
		columns_builder_token(b, span_of("a"), 1, lp, 0);
		for (int row = 0; row < rows; row++) {
			columns_builder_top(b, span_of("a"), 1 + row, row ? other : lp);
		}
	}
	columns_builder_end(b, &c);
	bool zeros = columns_are_zeros(&c);
	columns_finish(&c);
	return zeros;
}

Test(columns, zeros_that_nothing_vouches_for_are_no_measurement)
{
	cr_assert(are_zeros(8, 0, 0, 0));
	cr_assert(are_zeros(8, 0, 2, -1.0F), "another was likely: the zero cannot be");
	cr_assert_not(are_zeros(7, 0, 0, 0), "too few to tell");
	cr_assert_not(are_zeros(20, 0, 2, -25.0F), "a sure model: the others say so too");
	cr_assert_not(are_zeros(20, 0, 1, 0), "the list has it at 0.0");
	cr_assert_not(are_zeros(20, -1e-6F, 0, 0));
}

Test(columns, a_builder_can_be_cut_back)
{
	struct columns_builder *b = columns_builder_create();
	struct columns c;
	columns_builder_token(b, span_of("a"), 1, -1, 0);
	columns_builder_top(b, span_of("x"), 2, -2);
	columns_builder_token(b, span_of("b"), 3, -3, 0);
	columns_builder_top(b, span_of("y"), 4, -4);
	columns_builder_row(b, span_of("z"), 5, -5);
	columns_builder_truncate(b, 1);
	cr_assert_eq(columns_builder_rows(b), 0);
	columns_builder_row(b, span_of("w"), 6, -0.5F);
	cr_assert_eq(columns_builder_find_row(b, span_of("w")), -0.5F);
	cr_assert(isnan(columns_builder_find_row(b, span_of("x"))));
	columns_builder_commit(b, span_of("c"), 7, -7, 0);
	columns_builder_end(b, &c);
	cr_assert_eq(c.n, 2);
	cr_assert(c.top_end[0] == 1 && c.top_end[1] == 2);
	cr_assert(span_is(columns_token(&c, 1), "c") && span_is(columns_top_token(&c, 1), "w"));
	columns_finish(&c);
}
