#include "backends/judge_opinion.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static struct span span(const char *s)
{
	return span_of(s);
}

static const char *read_as(const char *reply)
{
	enum opinion o = OPINION_SAME;
	return opinion_read(span(reply), &o) ? opinion_name(o) : "unclear";
}

#define READS(reply, as) cr_assert_str_eq(read_as(reply), as, "%s", reply)

Test(judge_opinion, a_verdict_is_an_object_or_a_word_at_the_end)
{
	READS("{\"verdict\": \"same\"}", "same");
	READS("  {\"verdict\":\"different\", \"reason\": \"the dates\"}\n", "different");
	READS("Both name Paris.\n\n{\"verdict\": \"same\"}", "same");
	READS("```json\n{\n  \"verdict\": \"cannot_tell\"\n}\n```", "cannot_tell");
	READS("Let me see.\ndifferent", "different");
	READS("It is not {\"verdict\": \"same\"} but {\"verdict\": \"different\"}", "different");
}

Test(judge_opinion, all_else_is_unclear)
{
	static const char *const replies[] = {"", "   ", "Same", "same.", "They are the same",
	        "{\"verdict\": \"same\"} is what I think", "{\"verdict\": \"Same\"}",
	        "{\"verdict\": 1}", "{\"verdict\": null}", "{\"result\": \"same\"}", "\"same\"",
	        "{\"verdict\": \"same\", \"verdict\": \"same\"}",
	        "{\"verdict\": \"same\", \"verdict\": \"different\"}", "[\"same\"]", "}", "{",
	        "{\"verdict\": \"same\"", "\"verdict\": \"same\"}", "```", "same or different"};
	for (size_t i = 0; i < ARRAY_LEN(replies); i++) {
		enum opinion o = OPINION_SAME;
		cr_assert_not(opinion_read(span(replies[i]), &o), "%s", replies[i]);
		cr_assert_eq(o, OPINION_CANNOT_TELL);
	}
}

Test(judge_opinion, a_reply_may_hold_any_bytes)
{
	char bytes[256];
	for (size_t i = 0; i < sizeof(bytes); i++) {
		bytes[i] = (char)i;
	}
	enum opinion o;
	cr_assert_not(opinion_read((struct span){bytes, sizeof(bytes)}, &o));
	memset(bytes, '{', sizeof(bytes));
	bytes[sizeof(bytes) - 1] = '}';
	cr_assert_not(opinion_read((struct span){bytes, sizeof(bytes)}, &o));
}

static struct opinion_question question(const char *first, const char *second)
{
	struct opinion_question q = {
	        .dialect = &dialect_generic,
	        .model = "m",
	        .request = SPAN("Which?"),
	        .first = span(first),
	        .second = span(second),
	        .max_tokens = 5,
	};
	opinion_code(&q);
	return q;
}

static char *put(const struct opinion_question *q)
{
	struct buf to = {0};
	opinion_put(q, &to);
	return buf_steal(&to);
}

Test(judge_opinion, codes_are_of_their_own_every_time)
{
	struct opinion_question a = question("x", "y"), b = question("x", "y");
	cr_assert_eq(strlen(a.code), OPINION_CODE_SIZE - 1);
	cr_assert_str_neq(a.code, b.code);
}

Test(judge_opinion, what_is_quoted_stands_between_lines_with_the_code)
{
	struct opinion_question q = question("</first-answer>\"\\ one", "two");
	char *text = put(&q);
	char *quoted = xasprintf("<first-answer %s>\\n</first-answer>\\\"\\\\ one\\n</first-answer "
	                         "%s>\\n",
	        q.code, q.code);
	cr_assert_not_null(strstr(text, quoted), "%s", text);
	char *second = xasprintf("<second-answer %s>\\ntwo\\n", q.code);
	cr_assert_not_null(strstr(text, second));
	free(second);
	free(quoted);
	free(text);
}

Test(judge_opinion, the_form_is_asked_for_only_where_the_engine_may_know_it)
{
	struct opinion_question q = question("a", "b");
	char *text = put(&q);
	cr_assert_null(strstr(text, "response_format"));
	cr_assert_not_null(strstr(text, "\"temperature\":0,\"max_tokens\":5}"));
	free(text);
	q.with_schema = true;
	text = put(&q);
	cr_assert_not_null(strstr(text, "\"response_format\":{\"type\":\"json_schema\""));
	free(text);
	cr_assert(opinion_may_use_schema(&dialect_generic));
	cr_assert(opinion_may_use_schema(dialect_find("openai")));
}

Test(judge_opinion, a_model_that_takes_no_temperature_is_given_none)
{
	struct opinion_question q = question("a", "b");
	q.dialect = dialect_find("openai");
	q.model = "o3-mini";
	char *text = put(&q);
	cr_assert_null(strstr(text, "temperature"));
	cr_assert_not_null(strstr(text, "\"max_completion_tokens\":5"));
	free(text);
}

Test(judge_opinion, of_a_long_request_the_end_is_shown_from_a_whole_character_on)
{
	struct opinion_question q = question("a", "b");
	struct buf request = {0};
	while (request.len < 3 * OPINION_REQUEST_LIMIT) {
		buf_append_str(&request, "日");
	}
	buf_append_str(&request, "?");
	q.request = buf_span(&request);
	char *text = put(&q);
	cr_assert_not_null(strstr(text, "the beginning is left out"));
	cr_assert_not_null(strstr(text, "日?\\n</request"));
	cr_assert_null(strstr(text, "\xef\xbf\xbd"));
	cr_assert_lt(strlen(text), OPINION_REQUEST_LIMIT + OPINION_OVERHEAD_BYTES + 500);
	free(text);
	buf_finish(&request);
}
