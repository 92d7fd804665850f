#include "analyzer/compare/meaning/opposites.h"

#include <criterion/criterion.h>

static bool part(const char *a, const char *b)
{
	bool there = opposites_part(span_of(a), span_of(b));
	cr_expect_eq(opposites_part(span_of(b), span_of(a)), there, "%s | %s", a, b);
	return there;
}

Test(opposites, each_of_a_pair_on_one_side)
{
	static const char *const rows[][2] = {{"a profit of 5", "a loss of 5"},
	        {"It increases.", "It decreased."}, {"NORTH", "southern"}, {"per day", "per week"},
	        {"two losses", "profits"}, {"with", "without"}};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		cr_expect(part(rows[i][0], rows[i][1]), "%s", rows[i][0]);
	}
}

Test(opposites, not_where_a_side_says_both_or_neither)
{
	static const char *const rows[][2] = {{"a profit, no loss", "a loss"}, {"a profit", "5"},
	        {"", ""}, {"", "north"}, {"profit", "profits"}, {"it was easterly", "he wasted it"},
	        {"daylight", "weekend"}};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		cr_expect_not(part(rows[i][0], rows[i][1]), "%s", rows[i][0]);
	}
}
