#include "analyzer/compare/meaning/meaning.h"

#include <criterion/criterion.h>

static const char TOOLS[] =
        "[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":{\"type\":\"object\","
        "\"properties\":{\"x\":{\"type\":\"integer\"},\"deep\":{\"type\":\"boolean\","
        "\"default\":false}}}}}]";
static const char TWO[] = "[{\"name\":\"f\",\"arguments\":{\"x\":1}},"
                          "{\"name\":\"g\",\"arguments\":{\"a\":[1,2]}}]";

struct said {
	const char *name, *arguments;
};

static enum meaning_gold judged(const char *gold, const struct said *said, size_t n, bool cut)
{
	struct tool_call calls[3] = {{0}};
	struct choice answer = {.calls = calls, .n_calls = n};
	struct tools tools = {0};
	for (size_t i = 0; i < n; i++) {
		calls[i].name = (char *)said[i].name;
		calls[i].arguments = (char *)said[i].arguments;
	}
	tools_read(&tools, SPAN(TOOLS));
	enum meaning_gold g = gold_calls_judge(span_of(gold), &answer, cut, &tools);
	tools_finish(&tools);
	return g;
}

Test(gold_calls, a_list_of_calls_is_told_from_a_text)
{
	cr_expect(gold_is_calls(SPAN("[]")));
	cr_expect(gold_is_calls(SPAN(TWO)));
	const char *texts[] = {"", "42", "[1]", "[{\"name\":\"f\"}]", "{\"name\":\"f\"}", "[",
	        "[{\"name\":\"f\",\"arguments\":\"{}\"}]", "[] and more"};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		cr_expect(!gold_is_calls(span_of(texts[i])), "%s", texts[i]);
	}
}

Test(gold_calls, the_same_calls_are_right_in_any_order_and_spelling)
{
	const struct said same[] = {{"f", "{\"x\":1}"}, {"g", "{\"a\":[1,2]}"}};
	const struct said turned[] = {{"g", "{ \"a\": [1, 2] }"}, {"f", "{\"x\": 1.0}"}};
	cr_expect_eq(judged(TWO, same, 2, false), GOLD_RIGHT);
	cr_expect_eq(judged(TWO, turned, 2, false), GOLD_RIGHT);
	cr_expect_eq(judged(TWO, same, 2, true), GOLD_RIGHT, "it was cut after its calls");
}

Test(gold_calls, another_call_argument_or_number_is_wrong)
{
	const struct said other[] = {{"f", "{\"x\":2}"}, {"g", "{\"a\":[1,2]}"}};
	const struct said twice[] = {
	        {"f", "{\"x\":1}"}, {"g", "{\"a\":[1,2]}"}, {"f", "{\"x\":1}"}};
	const struct said name[] = {{"h", "{\"x\":1}"}, {"g", "{\"a\":[1,2]}"}};
	cr_expect_eq(judged(TWO, other, 2, false), GOLD_WRONG);
	cr_expect_eq(judged(TWO, twice, 3, false), GOLD_WRONG);
	cr_expect_eq(judged(TWO, name, 2, false), GOLD_WRONG);
	cr_expect_eq(judged(TWO, other, 1, false), GOLD_WRONG);
	cr_expect_eq(judged(TWO, NULL, 0, false), GOLD_WRONG);
}

Test(gold_calls, where_none_is_to_be_made_an_answer_in_words_is_right)
{
	const struct said one[] = {{"f", "{\"x\":1}"}};
	cr_expect_eq(judged("[]", NULL, 0, false), GOLD_RIGHT);
	cr_expect_eq(judged("[]", one, 1, false), GOLD_WRONG);
}

Test(gold_calls, what_was_cut_or_left_to_a_default_is_not_decided)
{
	const struct said spelt[] = {{"f", "{\"x\":1,\"deep\":false}"}};
	const char *gold = "[{\"name\":\"f\",\"arguments\":{\"x\":1}}]";
	cr_expect_eq(judged(gold, NULL, 0, true), GOLD_UNDECIDED);
	cr_expect_eq(judged("[]", NULL, 0, true), GOLD_UNDECIDED);
	cr_expect_eq(judged(gold, spelt, 1, false), GOLD_UNDECIDED);
}
