#include <criterion/criterion.h>

#include "tests/unit/readings.h"

/* Token counts, in every place and under every name that engines use. */

#define ANSWER(members)                                                                            \
	"{\"choices\":[{\"index\":0,\"text\":\"ab\",\"finish_reason\":\"stop\"}]," members "}"
#define NONE (-1)
#define ENTRIES                                                                                    \
	"\"logprobs\":{\"content\":[" ENTRY("\"a\"", "\"logprob\":-1") "," ENTRY(                  \
	        "\"b\"", "\"logprob\":-1") "]}"

static void expect_usage(struct reading *r, const char *of, int64_t prompt, int64_t completion,
        int64_t total, int64_t cached, int64_t reasoning)
{
	const struct usage *u = &r->usage;
	cr_assert_eq(u->prompt_tokens, prompt, "%s: prompt %ld", of, (long)u->prompt_tokens);
	cr_assert_eq(u->completion_tokens, completion, "%s: %ld", of, (long)u->completion_tokens);
	cr_assert_eq(u->total_tokens, total, "%s: total %ld", of, (long)u->total_tokens);
	cr_assert_eq(u->cached_tokens, cached, "%s: cached %ld", of, (long)u->cached_tokens);
	cr_assert_eq(u->reasoning_tokens, reasoning, "%s: %ld", of, (long)u->reasoning_tokens);
	cr_assert_eq(
	        r->marks & (READING_CONTRADICTORY_USAGE | READING_UNKNOWN_MEMBERS), 0, "%s", of);
	reading_destroy(r);
}

Test(usage, stands_in_a_choice_or_beside_it)
{
	expect_usage(
	        read_body("{\"choices\":[{\"text\":\"a\",\"finish_reason\":\"stop\",\"usage\":{"
	                  "\"prompt_tokens\":3,\"completion_tokens\":4,\"total_tokens\":7}}]}"),
	        "a choice", 3, 4, 7, NONE, NONE);
	expect_usage(read_stream(DELTA(
	                     "\"content\":\"a\"") "data: {\"choices\":[{\"index\":0,\"delta\":{},"
	                                          "\"finish_reason\":\"stop\",\"usage\":{"
	                                          "\"prompt_tokens\":3,\"completion_tokens\":4,"
	                                          "\"total_tokens\":7,\"cached_tokens\":2}}]}\n\n"
	                                          "data: [DONE]\n\n"),
	        "a streamed choice", 3, 4, 7, 2, NONE);
	expect_usage(read_body(ANSWER("\"x_groq\":{\"id\":\"r\",\"usage\":{\"prompt_tokens\":3,"
	                              "\"completion_tokens\":4,\"total_tokens\":7}}")),
	        "x_groq", 3, 4, 7, NONE, NONE);
	expect_usage(read_body(ANSWER("\"usage\":{\"prompt_tokens\":3.0,\"completion_tokens\":4.0,"
	                              "\"total_tokens\":7.0,\"cached_tokens\":2.5}")),
	        "floats", 3, 4, 7, NONE, NONE);
	expect_usage(read_body(ANSWER("\"usage\":{\"inputTokens\":3,\"outputTokens\":4,"
	                              "\"totalTokens\":7,\"cacheReadInputTokens\":2}")),
	        "other letters", 3, 4, 7, 2, NONE);
	expect_usage(
	        read_body(
	                "{\"choices\":[{\"index\":0,\"text\":\"a\",\"finish_reason\":\"stop\","
	                "\"usage\":{"
	                "\"prompt_tokens\":3,\"completion_tokens\":4}},{\"index\":1,\"text\":\"b\","
	                "\"finish_reason\":\"stop\",\"usage\":{\"prompt_tokens\":3,"
	                "\"completion_tokens\":5}}]}"),
	        "two choices", 3, 9, NONE, NONE, NONE);
}

#define COUNTS "{\"prompt_tokens\":3,\"completion_tokens\":4,\"total_tokens\":7}"

/* The usage, and an object of a gateway that only has one. */
Test(usage, stands_in_every_form_beside_the_answer_or_in_an_object_there)
{
	static const char *const forms[] = {
	        "{\"content\":\"a\",\"stop\":true,\"stop_type\":\"eos\",",
	        "{\"model\":\"m\",\"response\":\"a\",\"done\":true,\"done_reason\":\"stop\",",
	        "{\"text\":\"a\",\"meta_info\":{\"finish_reason\":{\"type\":\"stop\"}},",
	        "{\"generated_text\":\"a\",",
	        "{\"object\":\"response\",\"status\":\"completed\",\"output\":[],",
	        "{\"choices\":[{\"text\":\"a\",\"finish_reason\":\"stop\"}],",
	        "{\"type\":\"response.completed\",\"response\":{\"status\":\"completed\","
	        "\"output\":[]},",
	};
	static const char *const members[] = {
	        "\"usage\":" COUNTS, "\"x_mine\":{\"id\":\"r\",\"usage\":" COUNTS "}"};
	for (size_t i = 0; i < 2 * ARRAY_LEN(forms); i++) {
		struct buf b = {0};
		buf_append_str(&b, forms[i / 2]);
		buf_append_str(&b, members[i % 2]);
		buf_append_char(&b, '}');
		expect_usage(read_body(buf_cstr(&b)), forms[i / 2], 3, 4, 7, NONE, NONE);
		buf_finish(&b);
	}
}

Test(usage, of_the_cache_has_many_names)
{
	static const char *const names[] = {"cached_tokens", "prompt_cache_hit_tokens",
	        "cache_read_input_tokens", "cached_input_tokens", "num_cached_tokens"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct buf b = {0};
		buf_printf(&b,
		        ANSWER("\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2,"
		               "\"total_tokens\":11,\"%s\":5}"),
		        names[i]);
		expect_usage(read_body(buf_cstr(&b)), names[i], 9, 2, 11, 5, NONE);
		buf_finish(&b);
	}
	expect_usage(read_body(ANSWER("\"usage\":{\"input_tokens\":4,\"cache_read_input_tokens\":5,"
	                              "\"cache_creation_input_tokens\":1,\"output_tokens\":2}")),
	        "input beside the cache", 10, 2, NONE, 5, NONE);
}

Test(usage, of_gateways_has_odd_forms)
{
	expect_usage(
	        read_body(ANSWER("\"usage\":{\"prompt_tokens\":\"3\",\"completion_tokens\":\"4\","
	                         "\"total_tokens\":7.0,\"cached_tokens\":\"\","
	                         "\"reasoning_tokens\":\"few\"}")),
	        "quoted", 3, 4, 7, NONE, NONE);
	expect_usage(read_body(ANSWER("\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2,"
	                              "\"total_tokens\":11,\"input_tokens\":4,\"output_tokens\":2,"
	                              "\"cache_read_input_tokens\":5}")),
	        "both names", 9, 2, 11, 5, NONE);
}

#define TIMED(n) "\"timings\":{\"cache_n\":2,\"prompt_n\":5,\"predicted_n\":" #n "}"

Test(usage, is_in_llama_cpps_timings_if_nowhere_else)
{
	expect_usage(
	        read_stream(
	                "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]," TIMED(
	                        1) "}\n\ndata: "
	                           "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":"
	                           "\"stop\"}]," TIMED(4) "}\n\ndata: [DONE]\n\n"),
	        "timings", 7, 4, NONE, 2, NONE);
	expect_usage(
	        read_stream(
	                "data: {\"choices\":[{\"index\":0,\"text\":\"a\",\"finish_reason\":"
	                "\"stop\"}]," TIMED(
	                        4) "}\n\n"
	                           "data: "
	                           "{\"choices\":[{\"index\":1,\"text\":\"b\",\"finish_reason\":"
	                           "\"stop\"}]," TIMED(3) "}\n\ndata: [DONE]\n\n"),
	        "timings of two choices", 7, 7, NONE, 2, NONE);
	expect_usage(read_body(ANSWER("\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":3,"
	                              "\"total_tokens\":12}," TIMED(4))),
	        "both", 9, 3, 12, 2, NONE);
}

Test(usage, a_last_event_of_zeros_takes_nothing_back)
{
	expect_usage(
	        read_stream("data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,"
	                    "\"completion_tokens\":1,\"total_tokens\":4}}\n\n"
	                    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,"
	                    "\"completion_tokens\":4,\"total_tokens\":7}}\n\n"
	                    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":0,"
	                    "\"completion_tokens\":0,\"total_tokens\":0}}\n\ndata: [DONE]\n\n"),
	        "zeros", 3, 4, 7, NONE, NONE);
}

Test(usage, counts_that_contradict_each_other_are_marked)
{
	static const char *const bodies[] = {
	        "\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4,\"total_tokens\":30,"
	        "\"completion_tokens_details\":{\"reasoning_tokens\":23}}",
	        "\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4,\"total_tokens\":6}",
	        "\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4,\"reasoning_tokens\":5}",
	        "\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4,\"cached_tokens\":5}",
	        "\"usage\":{\"prompt_tokens\":9223372036854775807,\"completion_tokens\":"
	        "9223372036854775807,\"total_tokens\":1}",
	};
	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		struct buf b = {0};
		buf_printf(&b,
		        "{\"choices\":[{\"index\":0,\"text\":\"ab\",\"finish_reason\":"
		        "\"stop\"," ENTRIES "}],%s}",
		        bodies[i]);
		struct reading *r = read_body(buf_cstr(&b));
		cr_assert(r->marks & READING_CONTRADICTORY_USAGE, "%s", bodies[i]);
		cr_assert_eq(r->usage.completion_tokens, 2, "%s", bodies[i]);
		reading_destroy(r);
		buf_finish(&b);
	}
	/* Without tokens the stated count is used. */
	struct reading *r =
	        read_body(ANSWER("\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4,"
	                         "\"total_tokens\":30}"));
	cr_assert(r->marks & READING_CONTRADICTORY_USAGE);
	cr_assert_eq(r->usage.completion_tokens, 4);
	reading_destroy(r);
}

Test(usage, an_empty_list_of_logprobs_is_none)
{
	static const char *const lists[] = {"{\"content\":[]}", "[]", "{}", "null",
	        "{\"tokens\":[],\"token_logprobs\":[],\"top_logprobs\":[]}",
	        "{\"content\":[],\"refusal\":null}"};
	const struct reading_hints hints = {
	        .endpoint = ENDPOINT_CHAT, .status = 200, .wants_logprobs = true};
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		struct buf b = {0};
		buf_printf(&b,
		        "{\"choices\":[{\"index\":0,\"text\":\"ab\",\"finish_reason\":\"stop\","
		        "\"logprobs\":%s}]}",
		        lists[i]);
		struct reading *r = read_with(hints, buf_cstr(&b));
		cr_assert_eq(r->marks, READING_LOGPROBS_MISSING, "%s: %x", lists[i], r->marks);
		cr_assert_not(r->choices[0].has_columns, "%s", lists[i]);
		reading_destroy(r);
		buf_finish(&b);
	}
}
