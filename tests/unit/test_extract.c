#include "analyzer/compare/meaning/extract.h"

#include <criterion/criterion.h>
#include <string.h>

#include "analyzer/compare/meaning/extract_last.h"
#include "analyzer/compare/meaning/fraction.h"
#include "base/letters.h"

static enum agreement numbers(const char *a, const char *b, bool versions)
{
	struct number x, y;
	cr_expect_eq(number_read(span_of(a), &x), strlen(a), "%s", a);
	cr_expect_eq(number_read(span_of(b), &y), strlen(b), "%s", b);
	enum agreement got = number_agreement(&x, &y, versions);
	cr_expect_eq(number_agreement(&y, &x, versions), got, "%s %s", b, a);
	return got;
}

Test(extract, decimals_add_up_exactly)
{
	struct fraction a, b, sum;
	cr_assert(fraction_of_digits(&a, "1", 1, -1) && fraction_of_digits(&b, "2", 1, -1));
	cr_assert(fraction_of_digits(&sum, "3", 1, -1));
	cr_assert(fraction_add(&a, &b));
	cr_expect(fraction_equal(&a, &sum));
	struct fraction third, three;
	fraction_of_ratio(&third, 1, 3);
	fraction_of_ratio(&three, 3, 1);
	cr_assert(fraction_multiply(&third, &three));
	fraction_of_ratio(&three, 1, 1);
	cr_expect(fraction_equal(&third, &three));
	struct fraction zero = {0};
	fraction_of_ratio(&zero, 0, 5);
	cr_expect_not(fraction_divide(&third, &zero));
}

Test(extract, what_is_too_large_is_not_known_to_be_equal)
{
	char digits[FRACTION_DIGITS_MAX + 2];
	memset(digits, '9', sizeof(digits));
	struct fraction f;
	cr_expect(fraction_of_digits(&f, digits, FRACTION_DIGITS_MAX, 0));
	cr_expect_not(fraction_of_digits(&f, digits, FRACTION_DIGITS_MAX + 1, 0));
	cr_expect_not(fraction_of_digits(&f, "1", 1, FRACTION_TEN_MAX + 1));
	struct fraction far, near;
	cr_assert(fraction_of_digits(&far, "1", 1, FRACTION_TEN_MAX));
	cr_assert(fraction_of_digits(&near, "1", 1, 0));
	cr_expect_not(fraction_equal(&far, &near));
}

Test(extract, numbers_are_read_as_far_as_they_go)
{
	static const struct {
		const char *text;
		size_t n;
	} rows[] = {{"42", 2}, {"42 apples", 2}, {"42.", 2}, {"42,", 2}, {"1,234.5x", 7}, {"-5", 2},
	        {"- 5", 0}, {"", 0}, {"x", 0}, {".5", 2}, {"5.", 1}, {"1e3", 3}, {"1e", 1},
	        {"1e+", 1}, {"1.5 × 10^3", 11}, {"10^-2", 5}, {"1/3", 3}, {"1/0", 1}, {"1/2/3", 1},
	        {"½", 2}, {"\\frac{1}{2}", 11}, {"\\frac{1}{0}", 0}, {"\\frac{a}{2}", 0},
	        {"forty-two", 9}, {"forty two x", 9}, {"ten", 3}, {"tenth", 0},
	        {"one hundred and", 11}, {"minus 3", 7}, {"1.2.3", 0}, {"12,3,4", 0}, {"1,,2", 0}};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct number n;
		size_t got = number_read(span_of(rows[i].text), &n);
		cr_expect_eq(got, rows[i].n, "<%s>: %zu", rows[i].text, got);
	}
}

Test(extract, separators_that_may_be_read_in_two_ways_are_undecided)
{
	cr_expect_eq(numbers("1,234", "1234", true), AGREE_SAME);
	cr_expect_eq(numbers("1,234", "1.234", true), AGREE_UNDECIDED);
	cr_expect_eq(numbers("1.234", "1234", true), AGREE_UNDECIDED);
	cr_expect_eq(numbers("1,234.50", "1.234,50", true), AGREE_UNDECIDED);
	cr_expect_eq(numbers("1,234.50", "1234.5", false), AGREE_SAME);
	cr_expect_eq(numbers("1.234.567", "1234567", true), AGREE_UNDECIDED);
	cr_expect_eq(numbers("12,34,567", "1234567", true), AGREE_UNDECIDED);
	cr_expect_eq(numbers("0,5", "0.5", true), AGREE_UNDECIDED);
	cr_expect_eq(numbers("1,234", "1,235", true), AGREE_CHANGED);
}

Test(extract, the_last_number)
{
	static const struct {
		const char *text, *want;
		bool concluded;
	} rows[] = {{"10-5", "5", false}, {"It is 42.", "42", true}, {"42", "42", true},
	        {"a total of $1,234.50", "1234.5", true}, {"a total of $12 each", "12", false},
	        {"x = -5", "-5", true}, {"(3-5)", "5", false}, {"It is 42, see Step 3", "42", true},
	        {"no numbers", NULL, false}, {"Step 3", NULL, false}, {"A4 paper", NULL, false},
	        {"5 and 6", "6", false}, {"is 5. Then 6", "6", false}, {"It is not 7", "7", false},
	        {"abc123", NULL, false}, {"So x ≥ 5", "5", false}, {"So it is - 5", "5", false},
	        {"Das ist nicht 5", "5", false}, {"The chance is 1 in 5", "5", false},
	        {"It is -$5.", "-5", true}, {"So Tom has 3 and Anna has 5", "5", false},
	        {"So 3 friends have 5", "5", false}};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct extract e = {0};
		bool found = extract_last(span_of(rows[i].text), &e);
		cr_expect_eq(found, rows[i].want != NULL, "<%s>", rows[i].text);
		if (found && rows[i].want) {
			struct number n;
			number_read(span_of(rows[i].want), &n);
			cr_expect(fraction_equal(&n.value, &e.value.quantity.number.value), "<%s>",
			        rows[i].text);
			cr_expect_eq(e.concluded, rows[i].concluded, "<%s>", rows[i].text);
		}
	}
}

Test(extract, numbers_in_prose_have_one_spelling)
{
	static const char *const rows[][2] = {{"12,345", "12345"}, {"42.0", "42"}, {"1e3", "1000"},
	        {"-5", "-5"}, {"3.10", "3.10"}, {"0.50", "0.50"}, {"1,234.5", "1234.5"},
	        {"1E3", "1000"}, {"007", NULL}, {"1.2.3", NULL}, {"12,34", NULL}, {"1.234,5", NULL},
	        {"x5", NULL}, {"5x", NULL}, {"5e", NULL}, {"", NULL}, {"-", NULL}, {"+5", NULL},
	        {"0", "0"}, {"-0", "0"}};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf got = {0};
		bool spelt = number_spell(span_of(rows[i][0]), &got);
		cr_expect_eq(spelt, rows[i][1] != NULL, "<%s>", rows[i][0]);
		cr_expect(span_equal(buf_span(&got), span_of(rows[i][1])), "<%s>: %.*s", rows[i][0],
		        (int)got.len, got.data);
		buf_finish(&got);
	}
}

Test(extract, an_answer_comes_from_its_best_source)
{
	static const struct {
		const char *text;
		enum question q;
		enum extract_source source;
		const char *value;
	} rows[] = {{"so \\boxed{42}", QUESTION_OPEN, SOURCE_BOXED, "42"},
	        {"The answer is 7. \\boxed{42}", QUESTION_OPEN, SOURCE_BOXED, "42"},
	        {"The answer is **42**.", QUESTION_OPEN, SOURCE_MARKER, "42"},
	        {"it follows\n#### 42", QUESTION_OPEN, SOURCE_MARKER, "42"},
	        {"**Final Answer**: 42", QUESTION_OPEN, SOURCE_MARKER, "42"},
	        {"The answer is B. Paris", QUESTION_CHOICE, SOURCE_MARKER, "B. Paris"},
	        {"Paris", QUESTION_OPEN, SOURCE_WHOLE, "Paris"},
	        {"Yes, it is so in all of them.", QUESTION_OPEN, SOURCE_FIRST, "Yes"},
	        {"We have 5 and get a total of 8 in all of them here.", QUESTION_NUMBER,
	                SOURCE_LAST, "8"},
	        {"We have 5 and get a total of 8 in all of them here.", QUESTION_OPEN, SOURCE_NONE,
	                ""},
	        {"", QUESTION_OPEN, SOURCE_NONE, ""}};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct ladder l = {0};
		struct extract e;
		(void)ladder_climb(&l, span_of(rows[i].text), SPAN("another text"));
		extract_read(&l.a, rows[i].q, &e);
		cr_expect_eq(e.source, rows[i].source, "<%s>: %s", rows[i].text,
		        extract_source_name(e.source));
		cr_expect(e.source == SOURCE_NONE || span_starts(e.value.text, rows[i].value),
		        "<%s>: %.*s", rows[i].text, (int)e.value.text.len, e.value.text.data);
		ladder_finish(&l);
	}
}
