#include "analyzer/compare/meaning/extract_first.h"

#include <criterion/criterion.h>

#include "base/letters.h"

/* The yes is said, and of no case alone. */
static bool is_plain(const char *text)
{
	struct extract e = {0};
	return extract_first(span_of(text), QUESTION_YES_NO, &e) && e.source == SOURCE_FIRST &&
	       !e.others;
}

static void expect_all(const char *const *texts, size_t n, bool plain)
{
	for (size_t i = 0; i < n; i++) {
		cr_expect_eq(is_plain(texts[i]), plain, "%s", texts[i]);
	}
}

Test(extract_first, a_yes_with_its_reason_is_a_yes)
{
	static const char *const texts[] = {"Yes, it is.", "Yes, 91 = 7 × 13.",
	        "Yes. In Rome, people did that.", "Yes, of course it is.", "Yes, quite right.",
	        "Yes.\n\nIt has two divisors.", "Yes.\n\nOf course!", "Yes, 100%.",
	        "Yes. Absolutely true."};
	expect_all(texts, ARRAY_LEN(texts), true);
}

Test(extract_first, a_case_behind_it_is_a_part_of_it)
{
	static const char *const texts[] = {"Yes, formerly.", "Yes. With a permit.",
	        "Yes, de jure.", "Yes, 2 days weekly.", "Yes, 2 days with a permit.",
	        "Yes, in fact formerly.", "Yes, sure, de jure.", "Yes. Technically true.",
	        "Yes. Legally, yes.", "Yes, unless it rains."};
	expect_all(texts, ARRAY_LEN(texts), false);
}

Test(extract_first, so_is_a_case_on_a_line_below_that_is_the_last)
{
	static const char *const texts[] = {
	        "Yes\nWith a permit.", "Yes.\n\nOnly with a permit.", "Yes\n\n- In Texas"};
	expect_all(texts, ARRAY_LEN(texts), false);
	cr_expect(is_plain("Yes\n\nIn short:\nIt has two divisors."));
}

Test(extract_first, several_or_none_are_no_answer)
{
	struct extract e = {0};
	cr_expect_not(is_plain("Yes.\n2. No."));
	cr_expect_not(extract_first(SPAN("Yesterday, it was."), QUESTION_YES_NO, &e));
	cr_expect_not(extract_first(SPAN("Yes, it is. Wait, no."), QUESTION_YES_NO, &e));
	cr_expect_not(extract_first(SPAN(""), QUESTION_YES_NO, &e));
	cr_expect_eq(e.source, SOURCE_NONE);
}

Test(extract_first, what_is_said_with_it_is_told)
{
	struct extract e = {0};
	cr_expect(extract_first(SPAN("Yes, 2 days weekly. So"), QUESTION_YES_NO, &e));
	cr_expect(span_is(e.said, "2 days weekly"));
	cr_expect(extract_first(SPAN("Yes\n\n- In Texas"), QUESTION_YES_NO, &e));
	cr_expect(span_is(e.said, "In Texas"));
	cr_expect(extract_first(SPAN("Yes\n\na\nb"), QUESTION_YES_NO, &e));
	cr_expect_eq(e.said.len, 0);
}
