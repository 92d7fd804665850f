#include "reading/reading.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/reading_print.h"

static struct reading *read_with(struct reading_hints hints, const char *body)
{
	struct reader *r = reader_create(&hints);
	reader_feed(r, body, strlen(body));
	return reader_end(r, true);
}

static struct reading *read_body(const char *body)
{
	return read_with((struct reading_hints){.endpoint = ENDPOINT_CHAT, .status = 200}, body);
}

static struct reading *read_error_body(const char *body)
{
	return read_with((struct reading_hints){.endpoint = ENDPOINT_CHAT, .status = 400}, body);
}

static struct reading *read_stream(const char *body)
{
	return read_with(
	        (struct reading_hints){
	                .endpoint = ENDPOINT_CHAT, .status = 200, .framing = FRAMING_SSE},
	        body);
}

static void assert_text(const struct buf *got, const char *want)
{
	cr_assert(
	        span_is(buf_span(got), want), "'%.*s' is not '%s'", (int)got->len, got->data, want);
}

#define CHOICE(inside) "{\"choices\":[{\"index\":0,\"finish_reason\":\"stop\"," inside "}]}"
#define DELTA(inside) "data: {\"choices\":[{\"index\":0,\"delta\":{" inside "}}]}\n\n"
#define FINISH                                                                                     \
	"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: "    \
	"[DONE]\n\n"

Test(reading, content_may_be_a_string_or_parts)
{
	struct reading *r = read_body(
	        CHOICE("\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"},\"b\","
	               "{\"type\":\"thinking\",\"thinking\":\"t\"},{\"text\":\"c\",\"x\":[1]}]}"));
	assert_text(&r->choices[0].text, "abc");
	assert_text(&r->choices[0].reasoning, "t");
	cr_assert_eq(r->marks, 0);
	reading_destroy(r);
}

Test(reading, reasoning_has_three_names_and_counts_once)
{
	struct reading *r = read_body(CHOICE("\"message\":{\"content\":\"x\",\"reasoning\":"
	                                     "\"a\\u0020b\",\"reasoning_content\":\"a\\u0020b\"}"));
	assert_text(&r->choices[0].reasoning, "a b");
	reading_destroy(r);
	r = read_stream(DELTA("\"thinking\":\"one \"")
	                DELTA("\"reasoning\":\"two\",\"reasoning_content\":null") DELTA(
	                        "\"content\":\"x\",\"reasoning\":{\"effort\":\"low\"}") FINISH);
	assert_text(&r->choices[0].reasoning, "one two");
	assert_text(&r->choices[0].text, "x");
	cr_assert_eq(r->marks, 0);
	reading_destroy(r);
}

Test(reading, streamed_tool_calls_are_joined_by_index)
{
	struct reading *r = read_stream(DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"c1\","
	                                      "\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]")
	                DELTA("\"tool_calls\":[{\"index\":1,\"id\":\"c2\",\"function\":{\"name\":"
	                      "\"g\",\"arguments\":\"{\"}}]")
	                        DELTA("\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{"
	                              "\\\"a\\\":\"}},"
	                              "{\"index\":1,\"function\":{\"arguments\":\"}\"}},"
	                              "{\"index\":0,\"function\":{\"arguments\":\"1}\"}}]") FINISH);
	const struct choice *c = &r->choices[0];
	cr_assert_eq(c->n_calls, 2);
	cr_assert_str_eq(c->calls[0].id, "c1");
	cr_assert_str_eq(c->calls[0].name, "f");
	cr_assert_str_eq(c->calls[0].arguments, "{\"a\":1}");
	cr_assert_str_eq(c->calls[1].arguments, "{}");
	cr_assert_gt(r->first_content_at, 0);
	reading_destroy(r);
}

Test(reading, a_new_id_at_the_same_index_is_a_new_call_a_repeated_one_is_not)
{
	struct reading *r = read_stream(
	        DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\","
	              "\"arguments\":\"1\"}}]") DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"a\","
	                                              "\"function\":{\"name\":\"f\","
	                                              "\"arguments\":\"2\"}}]")
	                DELTA("\"tool_calls\":[{\"index\":0,\"id\":\"b\",\"function\":{\"name\":"
	                      "\"f\",\"arguments\":\"3\"}}]")
	                        DELTA("\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":"
	                              "\"4\"}}]") FINISH);
	cr_assert_eq(r->choices[0].n_calls, 2);
	cr_assert_str_eq(r->choices[0].calls[0].arguments, "12");
	cr_assert_str_eq(r->choices[0].calls[1].arguments, "34");
	reading_destroy(r);
}

Test(reading, whole_calls_without_index_are_told_apart)
{
	/* transformers gives every call the same id. */
	struct reading *r =
	        read_stream(DELTA("\"tool_calls\":[{\"id\":\"x_tool_call\",\"function\":{\"name\":"
	                          "\"f\",\"arguments\":{\"a\": [1]}}}]")
	                        DELTA("\"tool_calls\":[{\"id\":\"x_tool_call\",\"function\":{"
	                              "\"name\":\"g\",\"arguments\":\"{}\"}}]") FINISH);
	cr_assert_eq(r->choices[0].n_calls, 2);
	cr_assert_str_eq(r->choices[0].calls[0].arguments, "{\"a\": [1]}");
	cr_assert_str_eq(r->choices[0].calls[1].name, "g");
	reading_destroy(r);
	r = read_body(CHOICE("\"message\":{\"content\":null,\"tool_calls\":[{\"function\":{"
	                     "\"name\":\"f\",\"arguments\":\"1\"}},"
	                     "{\"function\":{\"name\":\"f\"}}]}"));
	cr_assert_eq(r->choices[0].n_calls, 2);
	cr_assert_null(r->choices[0].calls[1].arguments);
	cr_assert_null(r->choices[0].calls[1].id);
	reading_destroy(r);
}

Test(reading, function_call_counts_when_there_are_no_tool_calls)
{
	struct reading *r =
	        read_stream(DELTA("\"function_call\":{\"name\":\"f\",\"arguments\":\"{\"}")
	                        DELTA("\"function_call\":{\"arguments\":\"}\"}") FINISH);
	cr_assert_eq(r->choices[0].n_calls, 1);
	cr_assert_str_eq(r->choices[0].calls[0].name, "f");
	cr_assert_str_eq(r->choices[0].calls[0].arguments, "{}");
	reading_destroy(r);
	/* llama-cpp-python sends both. */
	r = read_stream(DELTA("\"function_call\":{\"name\":\"f\",\"arguments\":\"{}\"},"
	                      "\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":"
	                      "\"f\",\"arguments\":\"{}\"}}]") FINISH);
	cr_assert_eq(r->choices[0].n_calls, 1);
	cr_assert_str_eq(r->choices[0].calls[0].id, "c");
	reading_destroy(r);
}

Test(reading, choices_are_told_apart_by_index_wherever_it_stands)
{
	struct reading *r = read_stream(
	        "data: {\"choices\":[{\"text\":\"b\",\"index\":1,\"finish_reason\":null}]}\n\n"
	        "data: "
	        "{\"choices\":[{\"text\":\"a\",\"index\":0,\"finish_reason\":\"length\"}]}\n\n"
	        "data: "
	        "{\"choices\":[{\"text\":\"B\",\"index\":1,\"finish_reason\":\"eos_token\"}]}\n\n"
	        "data: [DONE]\n\n");
	cr_assert_eq(r->n_choices, 2);
	assert_text(&r->choices[0].text, "a");
	assert_text(&r->choices[1].text, "bB");
	cr_assert_str_eq(r->choices[1].finish, "eos_token");
	cr_assert_eq(r->n_events, 4);
	cr_assert_eq(r->marks, 0);
	reading_destroy(r);
}

Test(reading, a_choice_without_finish_reason_is_cut)
{
	struct reading *r = read_stream(DELTA("\"content\":\"x\"") "data: [DONE]\n\n");
	cr_assert_eq(r->marks, READING_CUT);
	reading_destroy(r);
	/* TGI's empty reason is none. */
	r = read_body("{\"choices\":[{\"text\":\"x\",\"finish_reason\":\"\"}]}");
	cr_assert_eq(r->marks, READING_CUT);
	cr_assert_null(r->choices[0].finish);
	reading_destroy(r);
}

Test(reading, comments_and_strange_framing_are_read_through)
{
	struct reading *r = read_stream(
	        "\xef\xbb\xbf: keepalive 0/1\r\n\r\n:\n\nevent: "
	        "message\r\ndata:{\"choices\":[{\"delta\":"
	        "{\"content\":\"a\"}}]}  \r\n\r\n: ping - 1\n\ndata: {\"choices\":[{\"delta\":\n"
	        "data: {\"content\":\"b\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]");
	assert_text(&r->choices[0].text, "ab");
	cr_assert_eq(r->n_events, 3);
	cr_assert_eq(r->marks, 0);
	reading_destroy(r);
}

Test(reading, a_missing_done_is_marked_and_nothing_worse)
{
	struct reading *r = read_stream(
	        "data: "
	        "{\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n");
	cr_assert_eq(r->marks, READING_NO_DONE);
	assert_text(&r->choices[0].text, "a");
	reading_destroy(r);
}

Test(reading, usage_comes_in_any_event_and_the_last_counts)
{
	struct reading *r = read_stream(
	        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":0,\"completion_tokens\":0}}\n\n"
	        "data: {\"choices\":[],\"usage\":null}\n\n"
	        "data: "
	        "{\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":7,\"total_"
	        "tokens\":12,"
	        "\"prompt_tokens_details\":{\"cached_tokens\":4},"
	        "\"completion_tokens_details\":{\"x\":[],\"reasoning_tokens\":3}}}\n\ndata: "
	        "[DONE]\n\n");
	cr_assert(r->usage.prompt_tokens == 5 && r->usage.completion_tokens == 7 &&
	          r->usage.total_tokens == 12);
	cr_assert(r->usage.cached_tokens == 4 && r->usage.reasoning_tokens == 3);
	cr_assert_eq(r->n_choices, 0);
	cr_assert_eq(r->first_content_at, 0);
	reading_destroy(r);
	r = read_body(CHOICE("\"text\":\"x\""));
	cr_assert(r->usage.prompt_tokens == -1 && r->usage.cached_tokens == -1);
	reading_destroy(r);
}

Test(reading, first_content_is_counted_in_bytes_of_the_body)
{
	const char *role = ": hi\n\n" DELTA("\"role\":\"assistant\",\"content\":\"\"");
	struct buf b = {0};
	buf_append_str(&b, role);
	buf_append_str(&b, DELTA("\"content\":\"a\""));
	size_t want = b.len;
	buf_append_str(&b, DELTA("\"content\":\"b\"") FINISH);
	struct reading *r = read_stream(buf_cstr(&b));
	cr_assert_eq(r->first_content_at, want);
	reading_destroy(r);
	buf_finish(&b);
}

Test(reading, errors_are_found_in_every_shape)
{
	static const char *const bodies[] = {
	        "{\"error\":{\"message\":\"no\",\"type\":\"t\",\"code\":400}}",
	        "{\"object\":\"error\",\"message\":\"no\",\"type\":\"t\",\"code\":400}",
	        "{\"error\":\"no\",\"error_type\":\"validation\"}",
	        "{\"detail\":\"no\"}",
	        "{\"detail\":[{\"loc\":[\"body\"],\"msg\":\"no\"}]}",
	        "{\"message\":\"no\"}",
	        "no",
	};
	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		struct reading *r = read_error_body(bodies[i]);
		cr_assert(r->marks & READING_ERROR_BODY, "%s", bodies[i]);
		cr_assert_str_eq(r->error, "no", "%s", bodies[i]);
		reading_destroy(r);
	}
	struct reading *r = read_error_body("");
	cr_assert_null(r->error);
	reading_destroy(r);
	r = read_body("{\"error\":null,\"choices\":[]}");
	cr_assert_eq(r->marks, 0);
	reading_destroy(r);
}

Test(reading, errors_in_mid_stream_keep_what_came_before)
{
	static const char *const events[] = {
	        "data: {\"error\":{\"message\":\"no\",\"code\":500}}\n\n",
	        "data: {\"error\":{\"object\":\"error\",\"message\":\"no\"}}\n\n",
	        "data: {\"object\":\"error\",\"message\":\"no\"}\n\n",
	        "event: error\ndata: {\"message\":\"no\"}\n\n",
	        "event: error\ndata: no\n\n",
	};
	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		struct buf b = {0};
		buf_append_str(&b, DELTA("\"content\":\"a\""));
		buf_append_str(&b, events[i]);
		struct reading *r = read_stream(buf_cstr(&b));
		cr_assert_str_eq(r->error, "no", "%s", events[i]);
		cr_assert(r->marks & READING_ERROR_BODY);
		cr_assert(r->marks & READING_CUT);
		assert_text(&r->choices[0].text, "a");
		reading_destroy(r);
		buf_finish(&b);
	}
	/* transformers: quoted, but not escaped. */
	struct reading *r = read_stream("data: {\"error\": \"it said \"no\"\"}\n\n");
	cr_assert_eq(r->marks, READING_NOT_JSON | READING_ERROR_BODY | READING_NO_DONE);
	cr_assert_not_null(strstr(r->error, "no"));
	reading_destroy(r);
}

#define ENTRY(token, rest) "{\"token\":" token "," rest "}"

Test(reading, bytes_split_across_tokens_spell_the_text)
{
	struct reading *r = read_body(CHOICE(
	        "\"message\":{\"content\":\"é!\"},\"logprobs\":{\"content\":[" ENTRY("\"\\ufffd\"",
	                "\"logprob\":-1,\"bytes\":[195],\"top_logprobs\":[]") "," ENTRY("\"\\ufffd"
	                                                                                "\"",
	                "\"logprob\":-2,\"bytes\":[169]") "," ENTRY("\"!\"",
	                "\"logprob\":-3,\"bytes\":null") "]}"));
	const struct columns *c = &r->choices[0].columns;
	cr_assert_eq(r->marks, 0);
	cr_assert_eq(c->n, 3);
	cr_assert_eq(columns_token(c, 1).len, 1);
	cr_assert_eq((unsigned char)columns_token(c, 1).data[0], 0xa9);
	cr_assert(c->flags[0] == 0 && c->flags[2] == 0);
	reading_destroy(r);
}

Test(reading, broken_characters_without_bytes_are_lossy)
{
	struct reading *r = read_body(
	        CHOICE("\"message\":{\"content\":\"é\"},\"logprobs\":{\"content\":[" ENTRY(
	                "\"\\ufffd\"", "\"logprob\":-1,\"bytes\":null") "," ENTRY("\"\\ufffd\"",
	                "\"logprob\":-2") "]}"));
	cr_assert_eq(r->marks, READING_LOSSY_TOKENS);
	cr_assert_eq(r->choices[0].columns.flags[0], TOKEN_LOSSY);
	reading_destroy(r);
}

Test(reading, a_last_character_that_is_cut_does_not_misspell)
{
	struct reading *r = read_body(
	        "{\"choices\":[{\"finish_reason\":\"length\",\"text\":\"a\",\"logprobs\":{"
	        "\"content\":[" ENTRY("\"a\"", "\"logprob\":-1,\"bytes\":[97]") "," ENTRY(
	                "\"\\ufffd\"", "\"logprob\":-2,\"bytes\":[240,159]") "]}}]}");
	cr_assert_eq(r->marks, 0);
	reading_destroy(r);
	r = read_body(
	        "{\"choices\":[{\"finish_reason\":\"length\",\"text\":\"a\\ufffd\",\"logprobs\":{"
	        "\"content\":[" ENTRY("\"a\"", "\"logprob\":-1,\"bytes\":[97]") "," ENTRY(
	                "\"\\ufffd\"", "\"logprob\":-2,\"bytes\":[240,159]") "]}}]}");
	cr_assert_eq(r->marks, 0);
	reading_destroy(r);
}

static uint32_t marks_of_tokens(const char *text, const char *finish, const char *tokens)
{
	struct buf b = {0};
	buf_printf(&b,
	        "{\"choices\":[{\"finish_reason\":\"%s\",%s,\"logprobs\":{\"tokens\":[%s],\"token_"
	        "logprobs\":[-1,-1,-1,-1,-1,-1,-1,-1]}}]}",
	        finish, text, tokens);
	struct reading *r = read_body(buf_cstr(&b));
	uint32_t marks = r->marks;
	reading_destroy(r);
	buf_finish(&b);
	return marks;
}

Test(reading, tokens_that_say_something_else_are_marked)
{
	cr_assert_eq(marks_of_tokens("\"text\":\" France\"", "length", "\" France\""), 0);
	cr_assert_eq(marks_of_tokens("\"text\":\" France\"", "length", "\"▁Paris\""),
	        READING_TOKENS_MISSPELL);
	cr_assert_eq(marks_of_tokens("\"text\":\" France\"", "length", "\"▁France\""),
	        READING_TOKENS_MISSPELL);
	cr_assert_eq(marks_of_tokens("\"text\":\" France\"", "stop", "\" Fran\""),
	        READING_TOKENS_MISSPELL);
	cr_assert_eq(marks_of_tokens("\"text\":\" France\"", "length", "\" France\",\" is\""),
	        READING_TOKENS_MISSPELL);
}

Test(reading, what_engines_take_out_of_the_text_does_not_misspell)
{
	/* A stop word, an end token, white space trimmed, markers of reasoning, a tool call. */
	cr_assert_eq(marks_of_tokens("\"text\":\" France\"", "stop", "\" France\",\".\""), 0);
	cr_assert_eq(
	        marks_of_tokens("\"text\":\" France\"", "length", "\" France\",\"<|im_end|>\""), 0);
	cr_assert_eq(marks_of_tokens("\"text\":\"\"", "stop", "\"<eos>\""), 0);
	cr_assert_eq(marks_of_tokens("\"text\":\"France\"", "length", "\" France\""), 0);
	cr_assert_eq(marks_of_tokens("\"message\":{\"reasoning\":\"hm\",\"content\":\"yes\"}",
	                     "length", "\"<think>\",\"hm\",\"</think>\\n\",\"yes\""),
	        0);
	cr_assert_eq(marks_of_tokens("\"message\":{\"reasoning\":\"hm\",\"content\":\"yes\"}",
	                     "length", "\"<think>\",\"hm\",\"</think>\\n\",\"no\""),
	        READING_TOKENS_MISSPELL);
	cr_assert_eq(marks_of_tokens("\"message\":{\"content\":null,\"tool_calls\":[{\"function\":{"
	                             "\"name\":\"f\"}}]}",
	                     "tool_calls", "\"<tool_call>\",\"f\""),
	        0);
}

Test(reading, tokens_that_lost_their_bytes_spell_the_characters_of_the_text)
{
#define LOST "\"\\ufffd\""
	const uint32_t lossy = READING_LOSSY_TOKENS;
	cr_assert_eq(marks_of_tokens("\"text\":\" 🐧 can\"", "length",
	                     "\" \"," LOST "," LOST "," LOST "," LOST ",\" can\""),
	        lossy);
	cr_assert_eq(
	        marks_of_tokens("\"text\":\"日本!\"", "length", LOST "," LOST ",\"本!\""), lossy);
	/* The text says U+FFFD once where the tokens say it for each byte. */
	cr_assert_eq(
	        marks_of_tokens("\"text\":\"\\ufffd!\"", "length", LOST "," LOST ",\"!\""), lossy);
	/* A last character that is cut. */
	cr_assert_eq(marks_of_tokens("\"text\":\"a\"", "length", "\"a\"," LOST "," LOST), lossy);
	cr_assert_eq(marks_of_tokens("\"text\":\"é\"", "length", LOST "," LOST "," LOST), lossy);

	const uint32_t wrong = READING_LOSSY_TOKENS | READING_TOKENS_MISSPELL;
	cr_assert_eq(marks_of_tokens("\"text\":\"ab\"", "length", LOST ",\"b\""), wrong);
	cr_assert_eq(marks_of_tokens("\"text\":\"éa\"", "length", LOST "," LOST ",\"b\""), wrong);
	cr_assert_eq(marks_of_tokens("\"text\":\"日本語\"", "length", LOST ",\"語\""), wrong);
	cr_assert_eq(marks_of_tokens("\"text\":\"é\"", "length",
	                     LOST "," LOST "," LOST "," LOST "," LOST "," LOST),
	        wrong);
#undef LOST
}

Test(reading, a_replaced_character_near_the_begin_is_found_behind_a_marker)
{
	struct reading *r = read_body(CHOICE(
	        "\"message\":{\"reasoning\":\"hm\",\"content\":\"t\\ufffd "
	        "is\"},\"logprobs\":{\"content\":[" ENTRY("\"<think>hm</think>\"",
	                "\"logprob\":-1") "," ENTRY("\"t\"", "\"logprob\":-1") "," ENTRY("\"x\"",
	                "\"logprob\":-1,\"bytes\":[159]") "," ENTRY("\" is\"",
	                "\"logprob\":-1") "]}"));
	cr_assert_eq(r->marks, 0);
	reading_destroy(r);
	r = read_body(CHOICE("\"message\":{\"reasoning\":\"\\ufffd hm "
	                     "\\ufffd\"},\"logprobs\":{\"content\":[" ENTRY(
	                             "\"<think>\"", "\"logprob\":-1") "," ENTRY("\"x\"",
	                             "\"logprob\":-1,\"bytes\":[240,159]") "," ENTRY("\" hm \"",
	                             "\"logprob\":-1") "," ENTRY("\"x\"",
	                             "\"logprob\":-1,\"bytes\":[240,159]") "]}"));
	cr_assert_eq(r->marks, 0);
	reading_destroy(r);
}

Test(reading, the_legacy_form_is_read_in_any_order)
{
	struct reading *r = read_body(CHOICE(
	        "\"text\":\"ab\",\"logprobs\":{\"top_logprobs\":[null,{\"b\":-0.5,\"c\":-2,"
	        "\"\\u0062\\u0062\":-3}],"
	        "\"token_logprobs\":[null,-0.5],\"text_offset\":[0,1],\"tokens\":[\"a\",\"b\"]}"));
	const struct columns *c = &r->choices[0].columns;
	cr_assert_eq(r->marks, READING_NON_FINITE);
	cr_assert_eq(c->n, 2);
	cr_assert(isnan(c->lp[0]) && c->lp[1] == -0.5f);
	cr_assert_eq(c->flags[0], TOKEN_MISSING);
	cr_assert(c->top_end[0] == 0 && c->top_end[1] == 3);
	cr_assert(span_is(columns_top_token(c, 2), "bb"));
	cr_assert_eq(c->ids[1], -1);
	reading_destroy(r);
}

Test(reading, tokens_named_otherwise_are_understood)
{
	struct reading *r = read_body(CHOICE("\"text\":\"\\u2019\",\"logprobs\":{\"tokens\":["
	                                     "\"bytes:\\\\xe2\\\\x80\",\"bytes:\\\\x99\"],"
	                                     "\"token_logprobs\":[-1,-1]}"));
	cr_assert_eq(r->marks, 0);
	cr_assert_eq(r->choices[0].columns.bytes_end[1], 3);
	reading_destroy(r);
	r = read_body(CHOICE("\"message\":{\"content\":\"hi\"},\"logprobs\":{\"content\":[" ENTRY(
	        "\"token_id:12\"",
	        "\"logprob\":-1,\"bytes\":[104,105],\"top_logprobs\":[" ENTRY("\"token_id:12\"",
	                "\"logprob\":-1,\"bytes\":[116]") "," ENTRY("\"token_id:7\"",
	                "\"logprob\":-2,\"bytes\":[116]") "]") "]}"));
	cr_assert_eq(r->marks, 0);
	cr_assert_eq(r->choices[0].columns.ids[0], 12);
	cr_assert_eq(r->choices[0].columns.top_ids[1], 7);
	cr_assert_eq(columns_top_token(&r->choices[0].columns, 1).len, 0);
	cr_assert_eq(r->choices[0].columns.flags[0], 0);
	reading_destroy(r);
}

Test(reading, ids_beside_the_logprobs_are_taken_when_they_are_as_many)
{
	struct reading *r = read_stream(
	        "data: {\"choices\":[{\"index\":0,\"text\":\"a\",\"logprobs\":{\"content\":[" ENTRY(
	                "\"a\"",
	                "\"logprob\":-1") "]},\"token_ids\":[5]}]}\n\n"
	                                  "data: "
	                                  "{\"choices\":[{\"index\":0,\"text\":\"b\",\"finish_"
	                                  "reason\":\"stop\",\"token_ids\":[6,7],"
	                                  "\"logprobs\":{\"content\":[" ENTRY("\"b\"",
	                                          "\"logprob\":-1") "]}}]}\n\ndata: [DONE]\n\n");
	cr_assert_eq(r->choices[0].columns.ids[0], 5);
	cr_assert_eq(r->choices[0].columns.ids[1], -1);
	reading_destroy(r);
}

Test(reading, numbers_that_are_no_logprobs_are_missing)
{
	static const char *const odd[] = {"NaN", "Infinity", "-Infinity", "null", "-9999",
	        "-9999.0", "-3.4028234663852886e+38", "-1e400", "\"-1\"", "true", "{}"};
	for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
		struct buf b = {0};
		buf_printf(&b,
		        CHOICE("\"text\":\"ab\",\"logprobs\":{\"content\":[" ENTRY(
		                "\"a\"", "\"logprob\":%s,\"top_logprobs\":[" ENTRY(
		                                 "\"a\"", "\"logprob\":%s") "]") "," ENTRY("\"b\"",
		                "\"logprob\":0.5") "]}"),
		        odd[i], odd[i]);
		struct reading *r = read_body(buf_cstr(&b));
		cr_assert_eq(r->marks & ~(uint32_t)READING_NOT_JSON, READING_NON_FINITE, "%s: %x",
		        odd[i], r->marks);
		const struct columns *c = &r->choices[0].columns;
		cr_assert_eq(c->n, 2, "%s", odd[i]);
		cr_assert(isnan(c->lp[0]) && isnan(c->top_lp[0]) && c->lp[1] == 0.5f, "%s", odd[i]);
		cr_assert(c->flags[0] == TOKEN_MISSING && c->flags[1] == 0, "%s", odd[i]);
		reading_destroy(r);
		buf_finish(&b);
	}
}

Test(reading, the_chosen_token_is_placed_in_its_list)
{
	struct reading *r = read_body(CHOICE("\"text\":\"abcd\",\"logprobs\":{\"content\":[" ENTRY(
	        "\"a\"",
	        "\"logprob\":-1,\"top_logprobs\":[" ENTRY("\"a\"", "\"logprob\":-1") "," ENTRY(
	                "\"x\"", "\"logprob\":-1") "]") "," ENTRY("\"b\"",
	        "\"top_logprobs\":[" ENTRY("\"x\"", "\"logprob\":-1") "," ENTRY(
	                "\"b\"", "\"logprob\":-2") "],\"logprob\":-2") "," ENTRY("\"c\"",
	        "\"logprob\":-1,\"top_logprobs\":[" ENTRY(
	                "\"x\"", "\"logprob\":-2") "]") "," ENTRY("\"d\"",
	        "\"id\":4,\"logprob\":-3,\"top_logprobs\":[" ENTRY(
	                "\"d\"", "\"id\":5,\"logprob\":-1") "]") "]}"));
	const struct columns *c = &r->choices[0].columns;
	cr_assert_eq(r->marks, 0);
	cr_assert_eq(c->flags[0], 0);
	cr_assert_eq(c->flags[1], TOKEN_NOT_TOP);
	cr_assert_eq(c->flags[2], TOKEN_UNLISTED);
	cr_assert_eq(c->flags[3], TOKEN_NOT_TOP | TOKEN_UNLISTED);
	cr_assert_eq(c->top_ids[5], 5);
	reading_destroy(r);
}

Test(reading, entries_with_ids_alone_are_kept_and_marked)
{
	/* mlx-lm without top_logprobs */
	struct reading *r = read_body(CHOICE("\"message\":{\"content\":\"hi\"},\"logprobs\":{"
	                                     "\"content\":[{\"id\":9,\"logprob\":-1}]}"));
	cr_assert_eq(r->marks, READING_LOSSY_TOKENS | READING_TOKENS_MISSPELL);
	cr_assert_eq(r->choices[0].columns.ids[0], 9);
	cr_assert_eq(r->choices[0].columns.flags[0], TOKEN_LOSSY);
	reading_destroy(r);
}

Test(reading, logprobs_that_were_asked_for_and_did_not_come_are_missed)
{
	struct reading_hints hints = {.status = 200, .wants_logprobs = true};
	struct reading *r = read_with(hints, CHOICE("\"text\":\"x\",\"logprobs\":null"));
	cr_assert_eq(r->marks, READING_LOGPROBS_MISSING);
	cr_assert_not(r->choices[0].has_columns);
	reading_destroy(r);
	r = read_with(hints, CHOICE("\"text\":\"x\",\"logprobs\":{\"content\":[" ENTRY(
	                             "\"x\"", "\"logprob\":-1") "]}"));
	cr_assert_eq(r->marks, 0);
	reading_destroy(r);
}

Test(reading, refusals_are_texts_of_their_own)
{
	struct reading *r = read_body(
	        CHOICE("\"message\":{\"content\":null,\"refusal\":\"no\"},\"logprobs\":{"
	               "\"content\":null,\"refusal\":[" ENTRY("\"no\"", "\"logprob\":-1") "]}"));
	assert_text(&r->choices[0].refusal, "no");
	assert_text(&r->choices[0].text, "");
	cr_assert_eq(r->marks, 0);
	cr_assert_eq(r->choices[0].columns.n, 1);
	reading_destroy(r);
}

Test(reading, a_cut_string_is_read_to_its_last_whole_character)
{
	static const char *const bodies[] = {
	        "{\"choices\":[{\"text\":\"ab",
	        "{\"choices\":[{\"text\":\"ab\\",
	        "{\"choices\":[{\"text\":\"ab\\u00e",
	        "{\"choices\":[{\"text\":\"ab\\ud83d",
	        "{\"choices\":[{\"text\":\"ab\\ud83d\\u",
	        "{\"choices\":[{\"text\":\"ab\xc3",
	        "{\"choices\":[{\"text\":\"ab\xf0\x9f\x98",
	};
	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		struct reading *r = read_body(bodies[i]);
		assert_text(&r->choices[0].text, "ab");
		cr_assert_eq(r->marks, READING_NOT_JSON | READING_CUT, "%s", bodies[i]);
		reading_destroy(r);
	}
}

Test(reading, limits_cut_and_mark_but_never_fail)
{
	struct buf b = {0};
	for (int i = 0; i < 100; i++) {
		buf_append_str(&b, DELTA("\"content\":\"0123456789\""));
	}
	struct reading_hints hints = {.status = 200, .framing = FRAMING_SSE, .limit = 300};
	struct reading *r = read_with(hints, buf_cstr(&b));
	cr_assert(r->marks & READING_TOO_LARGE);
	cr_assert_leq(r->choices[0].text.len, 300);
	cr_assert_geq(r->choices[0].text.len, 200);
	reading_destroy(r);

	hints.framing = FRAMING_UNARY;
	r = read_with(hints, buf_cstr(&b));
	cr_assert(r->marks & READING_TOO_LARGE);
	reading_destroy(r);

	buf_clear(&b);
	buf_append_str(&b, "{\"choices\":[");
	for (int i = 0; i < 1000; i++) {
		buf_printf(&b, "%s{\"index\":%d,\"text\":\"x\",\"finish_reason\":\"stop\"}",
		        i ? "," : "", i * 7);
	}
	buf_append_str(&b, "]}");
	r = read_body(buf_cstr(&b));
	cr_assert_eq(r->n_choices, READING_CHOICES_LIMIT);
	cr_assert_eq(r->marks, READING_TOO_LARGE);
	reading_destroy(r);
	buf_finish(&b);
}

Test(reading, too_many_alternatives_and_calls_are_left_out)
{
	struct buf b = {0};
	buf_append_str(&b,
	        "{\"choices\":[{\"finish_reason\":\"stop\",\"text\":\"x\",\"logprobs\":{"
	        "\"tokens\":[\"x\"],\"token_logprobs\":[-1],\"top_logprobs\":[{\"x\":-1");
	for (int i = 0; i < 1000; i++) {
		buf_printf(&b, ",\"t%d\":-9", i);
	}
	buf_append_str(&b, "}]},\"message\":{\"tool_calls\":[{}");
	for (int i = 0; i < 1000; i++) {
		buf_append_str(&b, ",{\"function\":{\"name\":\"f\"}}");
	}
	buf_append_str(&b, "]}}]}");
	struct reading *r = read_body(buf_cstr(&b));
	cr_assert_eq(r->marks, READING_TOO_LARGE);
	cr_assert_eq(r->choices[0].columns.top_end[0], READING_TOP_LIMIT);
	cr_assert_eq(r->choices[0].n_calls, READING_CALLS_LIMIT);
	reading_destroy(r);
	buf_finish(&b);
}

Test(reading, a_reader_may_be_left_without_a_reading)
{
	struct reading_hints hints = {.status = 200, .framing = FRAMING_SSE};
	struct reader *r = reader_create(&hints);
	const char *begun = DELTA("\"content\":\"a\",\"tool_calls\":[{\"id\":\"x\"}]") "data: {";
	reader_feed(r, begun, strlen(begun));
	reader_destroy(r);
	reader_destroy(NULL);
	reading_destroy(NULL);
}

Test(reading, built_columns_are_those_that_were_given)
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
