#include "analyzer/compare/meaning/attribute.h"

#include <criterion/criterion.h>

#include "base/letters.h"

static bool tells(const char *before)
{
	return attribute_of_answer(span_of(before)).len > 0;
}

static bool tells_in_lead(const char *lead)
{
	return attribute_of_lead(span_of(lead)).len > 0;
}

static void expect_all(
        bool (*tells_it)(const char *), const char *const *texts, size_t n, bool attributed)
{
	for (size_t i = 0; i < n; i++) {
		cr_expect_eq(tells_it(texts[i]), attributed, "%s", texts[i]);
	}
}

Test(attribute, one_of_several_or_somebodys_is_told_to_be_that)
{
	static const char *const texts[] = {"The first answer is ", "Bob's answer is ",
	        "One of the answers is ", "She answered ", "Bob's result is "};
	expect_all(tells, texts, ARRAY_LEN(texts), true);
}

Test(attribute, what_stands_between_it_and_its_verb_tells_which_one_it_is)
{
	static const char *const texts[] = {"The answer of Bob is ", "The answer to part a is ",
	        "The answer key says ", "The answer so far is ", "The answer you gave is ",
	        "The answer, for part a, is ", "The answer - for the boys - is ",
	        "The answer we got before rounding is ", "The answer (before tax) is ",
	        "The answer to question 2 is ", "The result for the boys is ",
	        "The solution of Bob is ", "The answer is, for the boys, ",
	        "The answer was said to be "};
	expect_all(tells, texts, ARRAY_LEN(texts), true);
}

Test(attribute, known_words_there_tell_nothing)
{
	static const char *const texts[] = {"The answer is ", "The answer to this problem is ",
	        "So the answer we are looking for is ", "The answer, therefore, is ",
	        "The answer in simplest form is ", "The answer (in lowest terms) is ",
	        "The answer rounded to the nearest unit is ", "The answer as a fraction is ",
	        "The answer turns out to be ", "The answer for this word problem is ",
	        "The answer you're looking for is ", "The answer rounded to 2 decimal places is ",
	        "We get an answer of ", "The final result is ", "The result of the addition is ",
	        "The result of 3 + 9 is ", "The answer = "};
	expect_all(tells, texts, ARRAY_LEN(texts), false);
}

Test(attribute, another_clause_with_its_subject_leads_to_another_value)
{
	cr_expect_not(tells("To find the answer of Bob, we add and get "));
	cr_expect_not(tells("We need the answer to part a, so she has "));
	cr_expect(tells("The answer to part a, after adding up, gives "));
	cr_expect(tells("The answer of Bob, as it turns out, came to "));
	cr_expect(tells("The answer of Bob, he says it is "));
}

Test(attribute, to_answer_and_a_result_are_no_answer)
{
	cr_expect_not(tells("To answer the question of Bob, she has "));
	cr_expect_not(tells("As a result of it she has "));
	cr_expect_not(tells("Multiplying the result by 3 gives "));
	cr_expect_not(tells("Combining this with the previous result, we get "));
	cr_expect_not(tells("From the result above we have "));
	cr_expect_not(tells("Bob has "));
	cr_expect_not(tells(""));
}

Test(attribute, a_case_before_it_or_who_says_it_tells_too)
{
	static const char *const cases[] = {"For part a the ", "So, for the boys, the ",
	        "According to Bob, the ", "Bob says the ", "In part a, the ", "Part b: the ",
	        "As for the boys, the "};
	static const char *const none[] = {"For this problem, the ", "In total, the ",
	        "Solving for x, the ", "According to the passage, the ", "So the ",
	        "For these reasons, the ", ""};
	expect_all(tells_in_lead, cases, ARRAY_LEN(cases), true);
	expect_all(tells_in_lead, none, ARRAY_LEN(none), false);
	cr_expect(tells("For Bob, the answer is "));
}

Test(attribute, it_is_given_without_what_opens_the_value)
{
	cr_expect(
	        span_is(attribute_of_answer(SPAN("The answer of Bob is $\\")), "answer of Bob is"));
	cr_expect(
	        span_is(attribute_of_answer(SPAN("The answer of Bob is **")), "answer of Bob is"));
	cr_expect(span_is(attribute_of_lead(SPAN("So for part a, the ")), "for part a, the"));
}
