#include "answers/api/responses.h"

#include "base/mem.h"
#include "tests/unit/readings.h"

#define EVENT(name, members) "event: " name "\ndata: {\"type\":\"" name "\"," members "}\n\n"
#define MESSAGE(parts) "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[" parts "]}"
#define TEXT(text) "{\"type\":\"output_text\",\"text\":\"" text "\",\"annotations\":[]}"
#define RESPONSE(status, output)                                                                   \
	"{\"id\":\"resp_1\",\"object\":\"response\",\"status\":\"" status                          \
	"\",\"model\":\"m\",\"output\":[" output "],\"usage\":{\"input_tokens\":5,"                \
	"\"input_tokens_details\":{\"cached_tokens\":2},\"output_tokens\":7,"                      \
	"\"output_tokens_details\":{\"reasoning_tokens\":3},\"total_tokens\":12}}"
#define AT(output, part) "\"output_index\":" #output ",\"content_index\":" #part ","
#define ENTRY_OF(token) "{\"token\":\"" token "\",\"logprob\":-0.5,\"top_logprobs\":[]}"

static struct reading *read_unary(const char *body)
{
	return read_with(
	        (struct reading_hints){.endpoint = ENDPOINT_RESPONSES, .status = 200}, body);
}

static struct reading *read_events(const char *body, bool complete)
{
	const struct reading_hints hints = {
	        .endpoint = ENDPOINT_RESPONSES, .status = 200, .framing = FRAMING_SSE};
	struct reader *r = reader_create(&hints);
	for (const char *p = body; *p; p++) {
		reader_feed(r, p, 1);
	}
	return reader_end(r, complete);
}

Test(responses, an_answer_is_read_from_its_output_items)
{
	struct reading *r = read_unary(RESPONSE("completed",
	        "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[{\"type\":\"summary_text\","
	        "\"text\":\"Two \"},{\"type\":\"summary_text\",\"text\":\"and two.\"}]}," MESSAGE(
	                TEXT("Fo") "," TEXT(
	                        "ur.")) ","
	                                "{\"type\":\"function_call\",\"id\":\"fc_1\",\"call_id\":"
	                                "\"call_1\",\"name\":\"f\","
	                                "\"arguments\":\"{\\\"a\\\":1}\",\"status\":\"completed\"},"
	                                "{\"type\":\"web_search_call\",\"id\":\"ws\",\"name\":"
	                                "\"no\"}"));
	cr_assert_eq(r->shape, SHAPE_RESPONSES);
	cr_assert_eq(r->marks, READING_UNKNOWN_MEMBERS);
	cr_assert_str_eq(r->unknown, "output.web_search_call");
	cr_assert_eq(r->n_choices, 1);
	const struct choice *c = &r->choices[0];
	assert_text(&c->text, "Four.");
	assert_text(&c->reasoning, "Two and two.");
	cr_assert_eq(c->place, REASONING_FIELD);
	cr_assert_eq(c->n_calls, 1);
	cr_assert_str_eq(c->calls[0].id, "call_1");
	cr_assert_str_eq(c->calls[0].name, "f");
	cr_assert_str_eq(c->calls[0].arguments, "{\"a\":1}");
	cr_assert_str_eq(c->finish, "stop");
	cr_assert_str_eq(r->model, "m");
	cr_assert_str_eq(r->response_id, "resp_1");
	cr_assert(r->usage.prompt_tokens == 5 && r->usage.completion_tokens == 7);
	cr_assert(r->usage.total_tokens == 12 && r->usage.cached_tokens == 2);
	cr_assert_eq(r->usage.reasoning_tokens, 3);
	reading_destroy(r);
}

Test(responses, thoughts_come_before_their_summary)
{
	struct reading *r = read_unary(RESPONSE("completed",
	        "{\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"sum\"}]"
	        ","
	        "\"content\":[{\"type\":\"reasoning_text\",\"text\":\"in full\"}]}"));
	assert_text(&r->choices[0].reasoning, "in full");
	reading_destroy(r);
}

Test(responses, thoughts_in_parts_of_a_message_and_in_plain_texts_are_reasoning)
{
#define SUMMARY                                                                                    \
	"\"summary\":[{\"type\":\"summary_text\",\"text\":\"two \"},{\"type\":\"summary_text\","   \
	"\"text\":\"and two\"}]"
	static const char *const outputs[] = {
	        MESSAGE("{\"type\":\"reasoning\"," SUMMARY "}," TEXT("4")),
	        MESSAGE("{" SUMMARY ",\"type\":\"reasoning\"}," TEXT("4")),
	        MESSAGE("{\"type\":\"reasoning\",\"text\":\"two and two\"}," TEXT("4")),
	        MESSAGE("{\"type\":\"thinking\",\"thinking\":\"two and two\",\"signature\":\"x\"},"
	                "{\"type\":\"redacted_thinking\",\"data\":\"z\"}," TEXT("4")),
	        "{\"type\":\"reasoning\"," SUMMARY "}," MESSAGE(TEXT("4")),
	        "{\"type\":\"reasoning\",\"summary\":[\"two \",\"and two\"]}," MESSAGE(TEXT("4")),
	        "{\"type\":\"reasoning\",\"summary\":\"two and two\"}," MESSAGE(TEXT("4")),
	        "{\"type\":\"reasoning\",\"content\":[{\"type\":\"text\",\"text\":\"two and "
	        "two\"}]},"
	        "{\"type\":\"message\",\"content\":\"4\"}",
	};
	for (size_t i = 0; i < ARRAY_LEN(outputs); i++) {
		struct buf unary = {0}, events = {0};
		buf_printf(&unary, RESPONSE("completed", "%s"), outputs[i]);
		struct reading *r = read_unary(buf_cstr(&unary));
		assert_text(&r->choices[0].reasoning, "two and two");
		assert_text(&r->choices[0].text, "4");
		cr_expect_eq(r->marks, 0, "%s: %s", outputs[i], r->unknown);
		reading_destroy(r);
		/* Each item comes as an event and again in the whole answer. */
		const char *last = strstr(outputs[i], "},{\"type\":\"message\"");
		buf_printf(&events,
		        "event: x\ndata: {\"type\":\"response.output_item.done\","
		        "\"output_index\":0,\"item\":%.*s}\n\n",
		        last ? (int)(last + 1 - outputs[i]) : 1000, outputs[i]);
		buf_printf(&events, "data: {\"type\":\"response.completed\",\"response\":%s}\n\n",
		        buf_cstr(&unary));
		r = read_events(buf_cstr(&events), true);
		assert_text(&r->choices[0].reasoning, "two and two");
		assert_text(&r->choices[0].text, "4");
		cr_expect_eq(r->marks, 0, "%s: %s", outputs[i], r->unknown);
		reading_destroy(r);
		buf_finish(&unary);
		buf_finish(&events);
	}
}

Test(responses, logprobs_are_read_with_and_without_bytes)
{
	struct reading *r = read_unary(RESPONSE("completed",
	        MESSAGE("{\"type\":\"output_text\",\"text\":\"é!\",\"logprobs\":["
	                "{\"token\":\"\\u00e9\",\"logprob\":-0.25,\"bytes\":[195,169],"
	                "\"top_logprobs\":[{\"token\":\"\\u00e9\",\"logprob\":-0.25,\"bytes\":[195,"
	                "169]},"
	                "{\"token\":\"e\",\"logprob\":-2,\"bytes\":[101]}]}," ENTRY_OF("!") "]}")));
	const struct columns *c = &r->choices[0].columns;
	cr_assert_eq(r->marks, 0);
	cr_assert_eq(c->n, 2);
	assert_token(c, 0, "é");
	assert_token(c, 1, "!");
	cr_assert(c->lp[0] == -0.25f && c->top_end[0] == 2 && c->top_end[1] == 2);
	cr_assert(c->flags[0] & c->flags[1] & TOKEN_OF_ANSWER);
	reading_destroy(r);
}

Test(responses, the_finish_is_told_in_the_words_of_chat_or_as_it_was_said)
{
	static const struct {
		const char *status, *details, *finish;
	} cases[] = {
	        {"completed", "null", "stop"},
	        {"incomplete", "{\"reason\":\"max_output_tokens\"}", "length"},
	        {"incomplete", "{\"reason\":\"content_filter\"}", "content_filter"},
	        {"incomplete", "null", "incomplete"},
	        {"cancelled", "null", "cancelled"},
	        {"in_progress", "null", NULL},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct buf b = {0};
		buf_printf(&b,
		        "{\"object\":\"response\",\"status\":\"%s\",\"incomplete_details\":%s,"
		        "\"output\":[" MESSAGE(TEXT("a")) "]}",
		        cases[i].status, cases[i].details);
		struct reading *r = read_unary(buf_cstr(&b));
		const char *finish = r->choices[0].finish;
		cr_expect(finish && cases[i].finish ? strcmp(finish, cases[i].finish) == 0
		                                    : finish == cases[i].finish,
		        "%s: %s", cases[i].status, finish);
		cr_expect_eq((r->marks & READING_CUT) != 0, cases[i].finish == NULL);
		reading_destroy(r);
		buf_finish(&b);
	}
}

Test(responses, a_response_without_status_is_incomplete_if_it_says_why)
{
	static const struct {
		const char *details, *finish;
	} cases[] = {
	        {"{\"reason\":\"max_output_tokens\"}", "length"},
	        {"{\"reason\":\"content_filter\"}", "content_filter"},
	        {"{\"reason\":null}", NULL},
	        {"null", NULL},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *body = xasprintf("{\"object\":\"response\",\"incomplete_details\":%s,"
		                       "\"output\":[" MESSAGE(TEXT("a")) "]}",
		        cases[i].details);
		struct reading *r = read_unary(body);
		const char *finish = r->choices[0].finish;
		assert_text(&r->choices[0].text, "a");
		cr_expect(finish && cases[i].finish ? strcmp(finish, cases[i].finish) == 0
		                                    : finish == cases[i].finish,
		        "%s: %s", cases[i].details, finish);
		cr_expect_eq(r->marks, 0);
		reading_destroy(r);
		free(body);
	}
}

Test(responses, a_failure_tells_its_message)
{
	struct reading *r =
	        read_unary("{\"object\":\"response\",\"status\":\"failed\",\"output\":[],"
	                   "\"error\":{\"code\":\"server_error\",\"message\":\"it broke\"}}");
	cr_assert(r->marks & READING_ERROR_BODY);
	cr_assert_str_eq(r->error, "it broke");
	reading_destroy(r);
	static const char *const streams[] = {
	        "event: error\ndata: {\"type\":\"error\",\"code\":\"x\",\"message\":\"it "
	        "broke\"}\n\n",
	        "event: error\ndata: {\"type\":\"error\",\"error\":{\"message\":\"it broke\"}}\n\n",
	        "data: {\"error\":{\"message\":\"it broke\"}}\n\n",
	        EVENT("response.failed", "\"response\":{\"status\":\"failed\",\"error\":{"
	                                 "\"message\":\"it broke\"}}"),
	};
	for (size_t i = 0; i < ARRAY_LEN(streams); i++) {
		struct buf b = {0};
		buf_printf(&b, "%s%s",
		        EVENT("response.created",
		                "\"response\":{\"id\":\"r\",\"status\":\"in_progress\"}"),
		        streams[i]);
		r = read_events(buf_cstr(&b), true);
		cr_assert(r->marks & READING_ERROR_BODY, "%zu", i);
		cr_assert_str_eq(r->error, "it broke");
		cr_assert_str_eq(r->response_id, "r");
		reading_destroy(r);
		buf_finish(&b);
	}
}

#define CREATED                                                                                    \
	EVENT("response.created", "\"response\":{\"id\":\"resp_1\",\"object\":\"response\","       \
	                          "\"status\":\"in_progress\",\"output\":[],\"usage\":null}")
#define COMPLETED(output) EVENT("response.completed", "\"response\":" RESPONSE("completed", output))

static const char whole_stream[] = CREATED EVENT("response.output_item.added",
        "\"output_index\":0,\"item\":{\"type\":\"reasoning\","
        "\"summary\":[]}") EVENT("response.reasoning_text.delta",
        AT(0, 0) "\"delta\":\"Two \"") EVENT("response.reasoning_text.delta",
        AT(0, 0) "\"delta\":\"and two.\"") EVENT("response.reasoning_text.done",
        AT(0, 0) "\"text\":\"Two and two.\"") EVENT("response.output_item.done",
        "\"output_index\":0,\"item\":{\"type\":\"reasoning\",\"content\":[{\"type\":"
        "\"reasoning_text\",\"text\":\"Two and two.\"}],\"summary\":[{\"type\":"
        "\"summary_text\",\"text\":\"sum\"}]}") EVENT("response.output_item.added",
        "\"output_index\":1,\"item\":" MESSAGE("")) EVENT("response.content_part.added",
        AT(1, 0) "\"part\":" TEXT("")) EVENT("response.output_text.delta",
        AT(1, 0) "\"delta\":\"Fo\",\"logprobs\":[" ENTRY_OF(
                "Fo") "]") EVENT("response.output_text.delta",
        "\"logprobs\":[" ENTRY_OF("ur") "]," AT(
                1, 0) "\"delta\":\"ur\"") EVENT("response.output_text.done",
        AT(1, 0) "\"text\":\"Four\",\"logprobs\":[" ENTRY_OF("Fo") "," ENTRY_OF(
                "ur") "]") EVENT("response.content_part.done",
        AT(1, 0) "\"part\":" TEXT("Four")) EVENT("response.output_item.done",
        "\"output_index\":1,\"item\":" MESSAGE(TEXT("Four"))) EVENT("response.output_item.added",
        "\"output_index\":2,\"item\":{\"type\":\"function_call\",\"call_id\":\"c1\","
        "\"name\":\"f\",\"arguments\":\"\"}") EVENT("response.function_call_arguments.delta",
        AT(2, 0) "\"delta\":\"{\\\"a\\\"\"") EVENT("response.function_call_arguments.delta",
        AT(2, 0) "\"delta\":\":1}\"") EVENT("response.function_call_arguments.done",
        AT(2, 0) "\"arguments\":\"{\\\"a\\\":1}\"") EVENT("response.output_item.done",
        "\"output_index\":2,\"item\":{\"type\":\"function_call\",\"call_id\":\"c1\","
        "\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1}\"}")
        COMPLETED("{\"type\":\"reasoning\",\"content\":[{\"type\":\"reasoning_text\",\"text\":"
                  "\"Two and two.\"}]}," MESSAGE(
                          "{\"type\":\"output_text\",\"text\":\"Four\","
                          "\"logprobs\":[" ENTRY_OF("Fo") "," ENTRY_OF(
                                  "ur") "]}") ",{\"type\":\"function_call\",\"call_id\":\"c1\","
                                              "\"name\":\"f\",\"arguments\":"
                                              "\"{\\\"a\\\":1}\"}");

Test(responses, what_events_repeat_counts_once)
{
	struct reading *r = read_events(whole_stream, true);
	cr_assert_eq(r->marks, 0, "%x", r->marks);
	cr_assert_eq(r->n_choices, 1);
	const struct choice *c = &r->choices[0];
	assert_text(&c->text, "Four");
	assert_text(&c->reasoning, "Two and two.");
	cr_assert_eq(c->n_calls, 1);
	cr_assert_str_eq(c->calls[0].id, "c1");
	cr_assert_str_eq(c->calls[0].name, "f");
	cr_assert_str_eq(c->calls[0].arguments, "{\"a\":1}");
	cr_assert_eq(c->columns.n, 2);
	assert_token(&c->columns, 1, "ur");
	cr_assert_str_eq(c->finish, "stop");
	cr_assert_eq(r->usage.completion_tokens, 7);
	const char *first = strstr(whole_stream, "event: response.reasoning_text.delta");
	const char *second = strstr(first + 1, "event: response.reasoning_text.delta");
	cr_assert_eq(r->first_content_at, (uint64_t)(second - whole_stream));
	reading_destroy(r);
}

#define DELTA_AT(output, text)                                                                     \
	EVENT("response.output_text.delta", AT(output, 0) "\"delta\":\"" text "\"")

/* SGLang's router numbers the items of events from 1. */
Test(responses, items_that_events_number_otherwise_count_once)
{
	struct reading *r = read_events(
	        DELTA_AT(1, "Fo") DELTA_AT(1, "ur.") COMPLETED(MESSAGE(TEXT("Four."))), true);
	assert_text(&r->choices[0].text, "Four.");
	cr_assert_eq(r->marks, 0);
	reading_destroy(r);
	r = read_events(DELTA_AT(0, "Five.") COMPLETED(MESSAGE(TEXT("Four."))), true);
	cr_assert_str_eq(r->unknown, "output");
	reading_destroy(r);
	r = read_events(DELTA_AT(0, "Four. ") COMPLETED(MESSAGE(TEXT("Four."))), true);
	assert_text(&r->choices[0].text, "Four. ");
	cr_assert_eq(r->marks, 0);
	reading_destroy(r);
}

/* The last response has reasoning before the call, which no event had. */
Test(responses, a_call_that_events_number_otherwise_is_named)
{
#define CALL(id) "{\"type\":\"function_call\"," id "\"name\":\"f\",\"arguments\":\"{}\"}"
#define REASONING                                                                                  \
	"{\"type\":\"reasoning\",\"content\":[{\"type\":\"reasoning_text\",\"text\":\"Hm\"}]},"
#define DONE                                                                                       \
	EVENT("response.output_item.done",                                                         \
	        "\"output_index\":0,\"item\":" CALL("\"call_id\":\"c\","))
	static const char *const streams[] = {
	        DONE COMPLETED(REASONING CALL("\"call_id\":\"c\",")),
	        DONE COMPLETED(REASONING CALL("\"call_id\":\"d\",")),
	        DONE COMPLETED(REASONING CALL("")),
	};
	for (size_t i = 0; i < ARRAY_LEN(streams); i++) {
		struct reading *r = read_events(streams[i], true);
		cr_assert_str_eq(r->unknown, "output", "%zu", i);
		reading_destroy(r);
	}
	struct reading *r = read_events(DONE COMPLETED(CALL("")), true);
	cr_expect_eq(r->choices[0].n_calls, 1);
	cr_expect_eq(r->marks, 0);
	reading_destroy(r);
	r = read_events(DONE COMPLETED(""), true);
	cr_expect_eq(r->choices[0].n_calls, 1);
	cr_expect_eq(r->marks, 0);
	reading_destroy(r);
#undef CALL
#undef REASONING
#undef DONE
}

Test(responses, a_text_beside_the_output_repeats_it)
{
#define WITH_TEXT(text)                                                                            \
	"{\"object\":\"response\",\"status\":\"completed\",\"output_text\":\"" text                \
	"\",\"output\":[" MESSAGE(TEXT("Four.")) "]}"
	struct reading *r = read_unary(WITH_TEXT("Four."));
	assert_text(&r->choices[0].text, "Four.");
	cr_assert_eq(r->marks, 0);
	reading_destroy(r);
	r = read_unary(WITH_TEXT("Five."));
	cr_assert_str_eq(r->unknown, "choice.output_text");
	reading_destroy(r);
#undef WITH_TEXT
}

Test(responses, what_no_event_gave_is_taken_from_the_whole)
{
	struct reading *r = read_events(
	        CREATED COMPLETED(MESSAGE(TEXT(
	                "Four.")) ",{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\","
	                          "\"arguments\":\"{}\"}"),
	        true);
	assert_text(&r->choices[0].text, "Four.");
	cr_assert_eq(r->choices[0].n_calls, 1);
	cr_assert_str_eq(r->choices[0].calls[0].arguments, "{}");
	reading_destroy(r);
	/* Texts in pieces, logprobs only at the end. */
	r = read_events(CREATED EVENT("response.output_text.delta",
	                        AT(0, 0) "\"delta\":\"Four\",\"logprobs\":[]")
	                        EVENT("response.output_text.done",
	                                AT(0, 0) "\"text\":\"Four\",\"logprobs\":[" ENTRY_OF(
	                                        "Four") "]") COMPLETED(MESSAGE(TEXT("Four"))),
	        true);
	assert_text(&r->choices[0].text, "Four");
	cr_assert_eq(r->choices[0].columns.n, 1);
	cr_assert_eq(r->marks, 0);
	reading_destroy(r);
}

Test(responses, two_calls_to_one_function_stay_two)
{
	struct reading *r =
	        read_unary(RESPONSE("completed", "{\"type\":\"function_call\",\"call_id\":\"a\","
	                                         "\"name\":\"f\",\"arguments\":\"{}\"},"
	                                         "{\"type\":\"custom_tool_call\",\"call_id\":\"b\","
	                                         "\"name\":\"g\",\"input\":\"raw\"}"));
	cr_assert_eq(r->choices[0].n_calls, 2);
	cr_assert_str_eq(r->choices[0].calls[1].arguments, "raw");
	reading_destroy(r);
}

Test(responses, arguments_given_as_a_value_count_once)
{
	static const char *const values[] = {"{\"a\":1}", "{}", "[1]"};
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		struct buf b = {0};
		buf_printf(&b,
		        EVENT("response.output_item.done", "\"output_index\":0,\"item\":{\"type\":"
		                                           "\"function_call\",\"call_id\":"
		                                           "\"c\",\"name\":\"f\",\"arguments\":%s}")
		                COMPLETED("{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":"
		                          "\"f\",\"arguments\":%s}"),
		        values[i], values[i]);
		struct reading *r = read_events(buf_cstr(&b), true);
		cr_assert_eq(r->choices[0].n_calls, 1, "%s", values[i]);
		cr_assert_str_eq(r->choices[0].calls[0].arguments, values[i]);
		reading_destroy(r);
		buf_finish(&b);
	}
}

Test(responses, a_refusal_is_no_text)
{
	struct reading *r = read_events(
	        CREATED EVENT("response.refusal.delta", AT(0, 0) "\"delta\":\"I \"")
	                EVENT("response.refusal.delta", AT(0, 0) "\"delta\":\"won't.\"")
	                        EVENT("response.refusal.done", AT(0, 0) "\"refusal\":\"I won't.\"")
	                                COMPLETED(MESSAGE(
	                                        "{\"type\":\"refusal\",\"refusal\":\"I won't.\"}")),
	        true);
	assert_text(&r->choices[0].refusal, "I won't.");
	assert_text(&r->choices[0].text, "");
	reading_destroy(r);
}

Test(responses, a_stream_without_a_terminal_event_was_cut)
{
	struct reading *r = read_events(
	        CREATED EVENT("response.output_text.delta", AT(0, 0) "\"delta\":\"Fo\""), false);
	assert_text(&r->choices[0].text, "Fo");
	cr_assert(r->marks & READING_CUT);
	cr_assert(r->marks & READING_NO_DONE);
	reading_destroy(r);
}

/* Any cut leaves a reading; a hostile repetition does not grow without bound. */
Test(responses, every_beginning_of_a_stream_is_read)
{
	for (size_t n = 0; n < sizeof(whole_stream); n += 7) {
		struct buf b = {0};
		buf_append(&b, whole_stream, n);
		reading_destroy(read_events(buf_cstr(&b), false));
		buf_finish(&b);
	}
	struct buf b = {0};
	for (int i = 0; i < 6000; i++) {
		buf_printf(&b,
		        "data: {\"type\":\"response.output_text.delta\",\"output_index\":%d,"
		        "\"delta\":\"x\"}\n\n",
		        i);
	}
	struct reading *r = read_events(buf_cstr(&b), true);
	cr_assert(r->marks & READING_TOO_LARGE);
	cr_assert_eq(r->choices[0].text.len, 6000);
	reading_destroy(r);
	buf_finish(&b);
}

Test(responses, more_items_than_can_be_told_apart_are_marked, .timeout = 20)
{
	struct buf b = {0};
	for (int i = 0; i < 100000; i++) {
		buf_printf(&b,
		        "data: "
		        "{\"type\":\"response.output_text.delta\",\"item_id\":\"%d\",\"delta\":"
		        "\"a\"}\n\n",
		        i < 4000 ? i : 4000);
	}
	struct reading *r = read_unary(buf_cstr(&b));
	cr_assert_eq(r->choices[0].text.len, 100000);
	cr_assert(r->marks & READING_TOO_LARGE);
	reading_destroy(r);
	buf_finish(&b);
}
