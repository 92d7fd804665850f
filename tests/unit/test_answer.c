#include "analyzer/compare/meaning/answer.h"

#include <criterion/criterion.h>

struct row {
	const char *text;
	enum question question;
	enum answer_mark mark;
	enum value_kind kind;
	const char *value, *before, *after;
};

static void expect_span(const char *what, const char *text, struct span got, const char *want)
{
	cr_expect(span_is(got, want), "<%s>: %s is <%.*s>, not <%s>", text, what, (int)got.len,
	        got.data, want);
}

static void expect_row(const struct row *r)
{
	struct format f = {0};
	struct answer a;
	(void)!format_compare(&f, span_of(r->text), SPAN("(nothing like it)"));
	answer_read(&f.a, f.a.words, r->question, &a);
	cr_expect_eq(a.mark, r->mark, "<%s>: mark %d", r->text, (int)a.mark);
	if (a.mark != ANSWER_NONE) {
		cr_expect_eq(a.value.kind, r->kind, "<%s>: kind %d", r->text, (int)a.value.kind);
		expect_span("value", r->text, a.value.text, r->value);
		expect_span("before", r->text, a.before, r->before);
		expect_span("after", r->text, a.after, r->after);
	}
	format_finish(&f);
}

#define N QUESTION_NUMBER
#define BARE ANSWER_BARE
#define MARKED ANSWER_MARKED
#define NONE ANSWER_NONE, VALUE_NONE, "", "", ""

Test(answer, where_an_answer_is_stated)
{
	static const struct row rows[] = {{"42", N, BARE, VALUE_NUMBER, "42", "", ""},
	        {"42.", N, BARE, VALUE_NUMBER, "42", "", ""},
	        {"5 km", N, BARE, VALUE_NUMBER, "5 km", "", ""},
	        {"4 July 1776", N, BARE, VALUE_DATE, "4 July 1776", "", ""},
	        {"(b)", QUESTION_CHOICE, BARE, VALUE_CHOICE, "(b)", "", ""},
	        {"b", QUESTION_OPEN, BARE, VALUE_WORDS, "b", "", ""},
	        {"5 or 6", N, BARE, VALUE_WORDS, "5 or 6", "", ""}, {"one\ntwo", N, NONE},
	        {"So it is.\n#### 42", N, MARKED, VALUE_NUMBER, "42", "", ""},
	        {"So it is #### 42", N, BARE, VALUE_WORDS, "So it is #### 42", "", ""},
	        {"Steps.\n\n**Final Answer:** 7.50", N, MARKED, VALUE_NUMBER, "7.50", "", ""},
	        {"So the answer is 42.", N, MARKED, VALUE_NUMBER, "42", "So", ""},
	        {"The answer is not 42.", N, MARKED, VALUE_WORDS, "not 42", "", ""},
	        {"The answer is 42. I guess.", N, MARKED, VALUE_NUMBER, "42", "", "I guess."},
	        {"Answer: 5\nor\nAnswer: 6", N, NONE},
	        {"It is $\\boxed{42}$.", N, MARKED, VALUE_NUMBER, "42", "It is", ""},
	        {"$$\\boxed{42}$$", N, MARKED, VALUE_NUMBER, "42", "", ""},
	        {"The final answer is:\n\n$$\\boxed{42}$$", N, MARKED, VALUE_NUMBER, "42", "", ""},
	        {"Twice the sum:\n\n$$\\boxed{42}$$", N, MARKED, VALUE_NUMBER, "42",
	                "Twice the sum:", ""},
	        {"$x = \\boxed{42} \\text{ km}$", N, MARKED, VALUE_NUMBER, "42 km", "x =", ""},
	        {"\\boxed{5}^2", N, MARKED, VALUE_NUMBER, "5", "", "^2"},
	        {"\\boxed{5} or \\boxed{6}", N, NONE}};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		expect_row(&rows[i]);
	}
}

static enum agreement compare(const char *a, const char *b)
{
	struct format f = {0};
	struct answer x, y;
	(void)!format_compare(&f, span_of(a), span_of(b));
	answer_read(&f.a, f.a.words, N, &x);
	answer_read(&f.b, f.b.words, N, &y);
	enum agreement agreement = answer_compare(&x, &y, N);
	format_finish(&f);
	return agreement;
}

Test(answer, answers_are_compared_where_all_else_that_is_said_is_equal)
{
	cr_expect_eq(compare("Steps.\n#### 0.5", "Others.\nThe answer is 1/2."), AGREE_SAME);
	cr_expect_eq(compare("So it is \\boxed{5}.", "So it is $\\boxed{5.0}$"), AGREE_SAME);
	cr_expect_eq(compare("So it is \\boxed{5}.", "So it is $\\boxed{6}$"), AGREE_CHANGED);
	cr_expect_eq(compare("$x = \\boxed{5}$", "$y = \\boxed{5}$"), AGREE_UNDECIDED);
	cr_expect_eq(compare("Not \\boxed{5}", "\\boxed{5}"), AGREE_UNDECIDED);
	cr_expect_eq(compare("\\boxed{5} km", "\\boxed{5}"), AGREE_UNDECIDED);
	cr_expect_eq(compare("\\boxed{5} km", "\\boxed{5000} m"), AGREE_SAME);
	cr_expect_eq(compare("The answer is 5. Or not.", "The answer is 5."), AGREE_UNDECIDED);
	cr_expect_eq(compare("5", "seven of them"), AGREE_UNDECIDED);
	cr_expect_eq(compare("5", "So the answer is 6."), AGREE_CHANGED);
	cr_expect_eq(compare("\\boxed{5}", "It costs 2 * 3 = \\boxed{6}"), AGREE_CHANGED);
	cr_expect_eq(compare("\\boxed{5}", "In km it is \\boxed{6}"), AGREE_UNDECIDED);
}

static enum agreement compare_yes(const char *a, const char *b)
{
	return answer_compare_yes(span_of(a), span_of(b));
}

Test(answer, a_yes_is_no_no)
{
	cr_expect_eq(compare_yes("Yes, it is.", "No, it is not."), AGREE_CHANGED);
	cr_expect_eq(compare_yes("True", "False, since 4 is even"), AGREE_CHANGED);
	cr_expect_eq(compare_yes("Yes, but actually no.", "No"), AGREE_UNDECIDED);
	cr_expect_eq(compare_yes("Yes, it isn't.", "No, it isn't."), AGREE_UNDECIDED);
	cr_expect_eq(compare_yes("Yes. Wait, that is wrong.", "No."), AGREE_UNDECIDED);
	cr_expect_eq(compare_yes("Yes, it is.", "Yes."), AGREE_UNDECIDED);
	cr_expect_eq(compare_yes("Nobody knows", "Yes"), AGREE_UNDECIDED);
}
