#include "answers/reading.h"

#include "base/mem.h"
#include "tests/unit/readings.h"

Test(reading, content_may_be_a_string_or_parts)
{
	struct reading *r = read_body(
	        CHOICE("\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"a\"},\"b\","
	               "{\"type\":\"thinking\",\"thinking\":\"t\"},{\"text\":\"c\",\"x\":[]}]}"));
	assert_text(&r->choices[0].text, "abc");
	assert_text(&r->choices[0].reasoning, "t");
	cr_assert_eq(r->marks, 0);
	reading_destroy(r);
}

Test(reading, reasoning_has_several_names_and_counts_once)
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
	r = read_stream(DELTA("\"reasoning_text\":\"one\",\"reasoning_opaque\":\"b3\"") FINISH);
	assert_text(&r->choices[0].reasoning, "one");
	cr_assert_eq(r->marks, 0);
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
	/* TGI's empty finish reason stands for none. */
	r = read_body("{\"choices\":[{\"text\":\"x\",\"finish_reason\":\"\"}]}");
	cr_assert_eq(r->marks, READING_CUT);
	cr_assert_null(r->choices[0].finish);
	reading_destroy(r);
	r = read_body("{\"choices\":[{\"text\":\"x\",\"finish_reason\":1}]}");
	cr_assert_eq(r->marks, READING_UNKNOWN_FINISH);
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
	cr_assert_eq(r->marks, READING_EMPTY);
	reading_destroy(r);
}

Test(reading, errors_with_status_200_are_found_in_a_document_of_their_own)
{
	static const char *const bodies[] = {
	        "{\"code\":\"DataInspectionFailed\",\"message\":\"no\",\"request_id\":\"r\"}",
	        "{\"code\":1302,\"msg\":\"no\",\"success\":false}",
	        "{\"error_code\":17,\"error_msg\":\"no\"}",
	};
	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		struct reading *r = read_body(bodies[i]);
		cr_assert_eq(r->marks, READING_ERROR_BODY | READING_EMPTY, "%s", bodies[i]);
		cr_assert_str_eq(r->error, "no", "%s", bodies[i]);
		reading_destroy(r);
	}
	struct reading *r = read_body("{\"code\":0,\"message\":\"\"}");
	cr_assert_eq(r->marks, READING_EMPTY);
	reading_destroy(r);
	/* The answer may be within "data". */
	r = read_body("{\"code\":200,\"msg\":\"ok\",\"data\":{\"choices\":[{\"content\":\"a\"}]}}");
	cr_assert_eq(r->marks, READING_EMPTY);
	reading_destroy(r);
	r = read_stream("data: {\"type\":\"ping\",\"message\":\"on\"}\n\n" DELTA(
	        "\"content\":\"a\"") FINISH);
	cr_assert_eq(r->marks, 0);
	reading_destroy(r);
}

Test(reading, errors_beside_an_answer_are_found)
{
#define BESIDE(member) "{\"choices\":[{\"text\":\"x\",\"finish_reason\":\"stop\"}]," member "}"
	static const char *const errors[] = {
	        BESIDE("\"error\":{\"message\":\"no\",\"code\":502}"),
	        BESIDE("\"x_groq\":{\"id\":\"r\",\"error\":\"no\"}"),
	        BESIDE("\"x_groq\":{\"error\":{\"message\":\"no\",\"type\":\"t\"}}"),
	        BESIDE("\"base_resp\":{\"status_code\":1000,\"status_msg\":\"no\"}"),
	        CHOICE("\"text\":\"x\",\"error\":{\"code\":502,\"message\":\"no\"}"),
	        CHOICE("\"message\":{\"content\":\"x\",\"error\":{\"message\":\"no\"}}"),
	};
	static const char *const none[] = {
	        BESIDE("\"error\":{}"),
	        BESIDE("\"error\":{\"message\":\"\",\"type\":\"\",\"param\":null,\"code\":0}"),
	        BESIDE("\"error\":0,\"code\":0"),
	        BESIDE("\"x_groq\":{\"id\":\"r\",\"error\":null}"),
	        BESIDE("\"base_resp\":{\"status_code\":0,\"status_msg\":\"ok\"}"),
	        CHOICE("\"text\":\"x\",\"error\":null"),
	};
	for (size_t i = 0; i < ARRAY_LEN(errors); i++) {
		struct reading *r = read_body(errors[i]);
		cr_assert_eq(r->marks, READING_ERROR_BODY, "%s: %x", errors[i], r->marks);
		cr_assert_str_eq(r->error, "no", "%s", errors[i]);
		assert_text(&r->choices[0].text, "x");
		reading_destroy(r);
	}
	for (size_t i = 0; i < ARRAY_LEN(none); i++) {
		struct reading *r = read_body(none[i]);
		cr_assert_eq(r->marks, 0, "%s: %x", none[i], r->marks);
		reading_destroy(r);
	}
#undef BESIDE
}

Test(reading, characters_split_between_events_are_whole)
{
	/* Gateways in JavaScript cut texts between the halves of a surrogate pair. */
	struct reading *r = read_stream(DELTA("\"content\":\"a\\ud83d\"") DELTA("\"content\":\"\"")
	                DELTA("\"content\":\"\\ude00b\",\"reasoning\":\"\\ud83d\"")
	                        DELTA("\"reasoning\":\"\\ude01\",\"refusal\":\"\\\\ud83d\"") DELTA(
	                                "\"refusal\":\"\\ude02\",\"tool_calls\":[{\"index\":0,"
	                                "\"function\":{\"name\":\"f\",\"arguments\":\"\\ud83d\"}}]")
	                                DELTA("\"tool_calls\":[{\"index\":0,\"function\":{"
	                                      "\"arguments\":\"\"}},{\"index\":0,\"function\":{"
	                                      "\"arguments\":\"\\ude03\"}}]") FINISH);
	assert_text(&r->choices[0].text, "a\xf0\x9f\x98\x80"
	                                 "b");
	assert_text(&r->choices[0].reasoning, "\xf0\x9f\x98\x81");
	assert_text(&r->choices[0].refusal, "\\ud83d\xef\xbf\xbd");
	cr_assert_str_eq(r->choices[0].calls[0].arguments, "\xf0\x9f\x98\x83");
	cr_assert_eq(r->marks, READING_UNKNOWN_MEMBERS, "of the refusal, whose half stays alone");
	reading_destroy(r);
}

#define TWICE(text) DELTA("\"reasoning\":\"" text "\",\"reasoning_content\":\"" text "\"")

Test(reading, reasoning_under_two_names_counts_once_if_a_character_is_split)
{
	struct reading *r = read_stream(TWICE("a\\ud83d") TWICE("") TWICE("\\ude00 b\\ud83d")
	                TWICE("\\ude01") TWICE(" c") FINISH);
	assert_text(&r->choices[0].reasoning, "a\xf0\x9f\x98\x80 b\xf0\x9f\x98\x81 c");
	reading_destroy(r);
	/* One name is an event behind the other one. */
	r = read_stream(DELTA("\"reasoning\":\"a\\ud83d\"")
	                DELTA("\"reasoning\":\"\\ude00b\",\"thinking\":\"a\\ud83d\"")
	                        DELTA("\"thinking\":\"\\ude00b\"") FINISH);
	assert_text(&r->choices[0].reasoning, "a\xf0\x9f\x98\x80"
	                                      "b");
	reading_destroy(r);
}

Test(reading, a_byte_order_mark_is_no_part_of_a_document)
{
	struct reading *r = read_body("\xef\xbb\xbf" CHOICE("\"text\":\"x\""));
	assert_text(&r->choices[0].text, "x");
	cr_assert_eq(r->marks, 0);
	reading_destroy(r);
}

Test(reading, members_that_a_gateway_moved_are_read_once)
{
	/* LiteLLM puts members that it does not know into "provider_specific_fields". */
	struct reading *r = read_body(CHOICE(
	        "\"message\":{\"provider_specific_fields\":{\"refusal\":\"no\",\"reasoning_"
	        "details\":"
	        "[{\"type\":\"reasoning.text\",\"text\":\"hm\"}],\"tool_calls\":[{\"id\":\"a\","
	        "\"function\":{\"name\":\"f\"}}]},\"content\":null,\"refusal\":null}"));
	assert_text(&r->choices[0].refusal, "no");
	assert_text(&r->choices[0].reasoning, "hm");
	cr_assert_eq(r->choices[0].n_calls, 1);
	cr_assert_eq(r->marks, 0);
	reading_destroy(r);
	r = read_body(CHOICE(
	        "\"message\":{\"content\":\"x\",\"reasoning_content\":\"hm\",\"tool_calls\":[{"
	        "\"id\":"
	        "\"a\",\"function\":{\"name\":\"f\"}}],\"provider_specific_fields\":{\"content\":"
	        "\"x\","
	        "\"reasoning\":\"hm\",\"reasoning_content\":\"hm\",\"tool_calls\":[{\"id\":\"a\","
	        "\"function\":{\"name\":\"f\"}}]}}"));
	assert_text(&r->choices[0].text, "x");
	assert_text(&r->choices[0].reasoning, "hm");
	cr_assert_eq(r->choices[0].n_calls, 1);
	cr_assert_eq(r->marks, 0);
	reading_destroy(r);
}

Test(reading, calls_that_a_gateway_moved_are_read_although_its_own_list_is_empty)
{
	static const char moved[] =
	        "\"provider_specific_fields\":{\"tool_calls\":[{\"id\":\"a\",\"function\":{"
	        "\"name\":\"f\",\"arguments\":\"{}\"}}]}";
	static const char *const empty[] = {"null", "false", "\"\"", "[]", "{}", "[{}]"};
	for (size_t i = 0; i < 2 * ARRAY_LEN(empty); i++) {
		char *own = xasprintf("\"tool_calls\":%s", empty[i / 2]);
		char *body = xasprintf("{\"choices\":[{\"message\":{\"content\":null,%s,%s},"
		                       "\"finish_reason\":\"tool_calls\"}]}",
		        i % 2 ? own : moved, i % 2 ? moved : own);
		struct reading *r = read_body(body);
		cr_assert_eq(r->choices[0].n_calls, 1, "%s", body);
		cr_assert_str_eq(r->choices[0].calls[0].name, "f");
		cr_assert_eq(r->marks, 0, "%s", body);
		reading_destroy(r);
		free(own);
		free(body);
	}
}

Test(reading, calls_that_the_end_of_the_answer_cuts_are_read)
{
	struct reading *r =
	        read_body("{\"choices\":[{\"message\":{\"content\":\"x\",\"tool_calls\":"
	                  "[{\"id\":\"a\",\"function\":{\"name\":\"f\"");
	cr_assert_eq(r->choices[0].n_calls, 1);
	cr_assert(r->marks & READING_CUT);
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
	cr_assert_eq(
	        r->marks, READING_NOT_JSON | READING_ERROR_BODY | READING_NO_DONE | READING_EMPTY);
	cr_assert_not_null(strstr(r->error, "no"));
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
