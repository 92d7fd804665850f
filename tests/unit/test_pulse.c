#include "answers/pulse.h"

#include <string.h>

#include <criterion/criterion.h>

#define MS UINT64_C(1000000)

static void feed(struct pulse *p, uint64_t at_ms, const char *text)
{
	pulse_feed(p, at_ms * MS, text, strlen(text));
}

#define DELTA(what) "data: {\"choices\":[{\"index\":0,\"delta\":{" what "}}]}\n\n"

Test(pulse, vllms_first_token_is_the_role_and_aiperfs_the_first_text)
{
	struct pulse p;
	pulse_begin(&p, true);
	feed(&p, 10, DELTA("\"role\":\"assistant\",\"content\":\"\""));
	feed(&p, 20, DELTA("\"reasoning_content\":\"hm\""));
	feed(&p, 35, DELTA("\"content\":\"Yes\""));
	feed(&p, 55, DELTA(""));
	feed(&p, 80,
	        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3}}\n\n"
	        "data: [DONE]\n\n");
	pulse_end(&p, 90 * MS);
	cr_expect_eq(p.first_choice, 10 * MS);
	cr_expect_eq(p.first_content, 20 * MS);
	cr_expect_eq(p.first_output, 35 * MS);
	cr_expect_eq(p.last_content, 35 * MS);
	cr_expect_eq(p.last_choice, 55 * MS, "neither usage nor [DONE] makes an answer longer");
	cr_assert_eq(p.n_gaps, 3);
	cr_expect_eq(p.gaps[0], 10000);
	cr_expect_eq(p.gaps[1], 15000);
	cr_expect_eq(p.gaps[2], 20000);
	cr_expect_eq(p.usage.prompt_tokens, 7);
	cr_expect_eq(p.usage.completion_tokens, 3);
	pulse_finish(&p);
}

Test(pulse, usage_is_read_in_every_place)
{
	static const char *const events[] = {
	        "{\"choices\":[],\"x_groq\":{\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":"
	        "3}}}",
	        "{\"choices\":[{\"index\":0,\"delta\":{},\"usage\":{\"prompt_tokens\":7,"
	        "\"completion_tokens\":3}}]}",
	        "{\"choices\":[{\"index\":0,\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":1}"
	        "},{"
	        "\"index\":1,\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}]}",
	        "{\"choices\":[],\"usage\":{\"input_tokens\":7.0,\"output_tokens\":3}}",
	        "{\"choices\":[],\"timings\":{\"cache_n\":2,\"prompt_n\":5,\"predicted_n\":3}}",
	        "{\"choices\":[{\"index\":0}],\"timings\":{\"cache_n\":2,\"prompt_n\":5,"
	        "\"predicted_n\":2}}\n\n"
	        "data: "
	        "{\"choices\":[{\"index\":1}],\"timings\":{\"cache_n\":2,\"prompt_n\":5,"
	        "\"predicted_n\":1}}",
	};
	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		struct pulse p;
		pulse_begin(&p, true);
		feed(&p, 10, "data: ");
		feed(&p, 10, events[i]);
		feed(&p, 10, "\n\n");
		pulse_end(&p, 20 * MS);
		cr_expect_eq(p.usage.prompt_tokens, 7, "%s", events[i]);
		cr_expect_eq(p.usage.completion_tokens, 3, "%s", events[i]);
		pulse_finish(&p);
	}
}

Test(pulse, an_event_counts_when_its_last_byte_comes)
{
	struct pulse p;
	pulse_begin(&p, true);
	feed(&p, 10, "data: {\"choices\":[{\"index\":0,\"te");
	feed(&p, 30, "xt\":\"a\"}]}\n");
	feed(&p, 40, "\ndata: {\"choices\":[{\"index\":0,\"text\":\"b\"}]}\n\n");
	pulse_end(&p, 50 * MS);
	cr_expect_eq(p.first_choice, 40 * MS);
	cr_expect_eq(p.n_choices, 2);
	cr_expect_eq(p.usage.completion_tokens, -1);
	pulse_finish(&p);
}

Test(pulse, the_framing_does_not_depend_on_how_the_bytes_are_split)
{
	static const struct {
		const char *body;
		bool stream;
	} cases[] = {
	        {"\xef\xbb\xbf\r\n {\"choices\":[{\"index\":0,\"text\":\"a\"}]}", false},
	        {"\r\n\r\n \n" DELTA("\"content\":\"a\""), true},
	        {"\r\xef\t[\r" DELTA("\"content\":\"a\""), true},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		for (size_t step = 1; step < 9; step++) {
			struct pulse p;
			size_t len = strlen(cases[i].body);
			pulse_begin(&p, true);
			for (size_t at = 0; at < len; at += step) {
				pulse_feed(&p, MS, cases[i].body + at, MIN(step, len - at));
			}
			pulse_end(&p, MS);
			cr_expect_eq(p.n_choices, 1, "case %zu, step %zu", i, step);
			cr_expect_eq(p.stream, cases[i].stream, "case %zu, step %zu", i, step);
			pulse_finish(&p);
		}
	}
}

Test(pulse, tool_calls_are_content)
{
	static const char *const calls[] = {
	        DELTA("\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"f\"}}]"),
	        DELTA("\"tool_calls\":{\"index\":0,\"function\":{\"name\":\"f\"}}"), /* TGI */
	        DELTA("\"function_call\":{\"name\":\"f\"}"),
	};
	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		struct pulse p;
		pulse_begin(&p, true);
		feed(&p, 10, DELTA("\"role\":\"assistant\",\"content\":null,\"tool_calls\":[]"));
		feed(&p, 20, calls[i]);
		pulse_end(&p, 30 * MS);
		cr_expect_eq(p.first_content, 20 * MS);
		cr_expect_eq(p.first_output, 20 * MS);
		pulse_finish(&p);
	}
}

Test(pulse, content_that_a_gateway_moved_is_content)
{
	struct pulse p;
	pulse_begin(&p, true);
	pulse_compare(&p, SPAN("Yes"));
	feed(&p, 10, DELTA("\"content\":\"\",\"tool_calls\":[]"));
	feed(&p, 20, DELTA("\"provider_specific_fields\":{\"reasoning\":\"hm\"}"));
	feed(&p, 30,
	        DELTA("\"provider_specific_fields\":{\"content\":\"Yes\",\"index\":1},"
	              "\"content\":\"\""));
	feed(&p, 40,
	        DELTA("\"provider_specific_fields\":{\"tool_calls\":[{\"index\":0,"
	              "\"function\":{\"name\":\"f\"}}]}"));
	pulse_end(&p, 50 * MS);
	size_t at;
	cr_expect_eq(p.first_content, 20 * MS);
	cr_expect_eq(p.first_output, 30 * MS);
	cr_expect_eq(p.last_content, 40 * MS);
	cr_expect_not(pulse_differs(&p, &at));
	pulse_finish(&p);
}

Test(pulse, comments_and_broken_events_are_no_tokens)
{
	struct pulse p;
	pulse_begin(&p, true);
	feed(&p, 10, ": ping\n\ndata: {\"choices\":\n\ndata: 3\n\ndata: {\"object\":\"x\"}\n\n");
	pulse_end(&p, 20 * MS);
	cr_expect_eq(p.n_choices, 0);
	cr_expect_eq(p.first_choice, 0);
	cr_expect_not(p.error);
	pulse_finish(&p);
}

Test(pulse, an_error_in_mid_stream_is_seen)
{
	static const struct {
		const char *event;
		bool error;
	} events[] = {
	        {"data: {\"error\":{\"message\":\"out of memory\"}}\n\n", true},
	        {"data: {\"type\":\"error\",\"message\":\"out of memory\"}\n\n", true},
	        {"data: {\"x_groq\":{\"error\":\"over capacity\"}}\n\n", true},
	        {"data: {\"base_resp\":{\"status_code\":1000}}\n\n", true},
	        {"data: {\"choices\":[{\"index\":0,\"error\":{\"code\":502}}]}\n\n", true},
	        {"data: {\"error\":{\"message\":\"\",\"code\":0}}\n\n", false},
	        {"data: {\"x_groq\":{\"id\":\"r\"}}\n\n", false},
	};
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		struct pulse p;
		pulse_begin(&p, true);
		feed(&p, 10, DELTA("\"content\":\"a\""));
		feed(&p, 20, events[i].event);
		pulse_end(&p, 30 * MS);
		cr_expect_eq(p.error, events[i].error, "%s", events[i].event);
		pulse_finish(&p);
	}
}

Test(pulse, a_document_in_place_of_events_is_read)
{
	static const struct {
		const char *body, *failure;
	} rows[] = {
	        {"{\"choices\":[{\"text\":\"a\",\"finish_reason\":\"stop\"}]}", NULL},
	        {" {\"error\":{\"message\":\"no\"}}", "an error in the answer"},
	        {"{\"choices\":[{\"text\":\"a\",\"finish_reason\":1}]}",
	                "unknown finish reason \"1\""},
	        {"data: {\"choices\":[{\"text\":\"a\",\"finish_reason\":\"stop\"}]}", NULL},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct pulse p;
		char text[FLAW_TEXT_SIZE];
		pulse_begin(&p, true);
		for (const char *at = rows[i].body; *at; at++) {
			pulse_feed(&p, 10 * MS, at, 1);
		}
		pulse_end(&p, 20 * MS);
		const char *failure = pulse_failure(&p, text);
		cr_expect_str_eq(failure ? failure : "", rows[i].failure ? rows[i].failure : "");
		pulse_finish(&p);
	}
}

Test(pulse, a_whole_answer_tells_its_tokens_at_its_end)
{
	struct pulse p;
	pulse_begin(&p, false);
	feed(&p, 10, "{\"choices\":[{\"message\":{\"content\":\"hi\"}}],\"error\":null,");
	feed(&p, 20, "\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}");
	pulse_end(&p, 25 * MS);
	cr_expect_eq(p.usage.completion_tokens, 2);
	cr_expect_eq(p.first_content, 25 * MS);
	cr_expect_not(p.error);
	pulse_finish(&p);
}

static bool parts(const char *script, size_t *ret_at, const char *const *events, bool stream)
{
	struct pulse p;
	pulse_begin(&p, stream);
	pulse_compare(&p, span_of(script));
	for (size_t i = 0; events[i]; i++) {
		feed(&p, 10 + i, events[i]);
	}
	pulse_end(&p, 90 * MS);
	bool parted = pulse_differs(&p, ret_at);
	pulse_finish(&p);
	return parted;
}

Test(pulse, a_text_that_comes_in_pieces_is_held_against_another)
{
	static const char *const SAME[] = {DELTA("\"role\":\"assistant\",\"content\":\"\""),
	        DELTA("\"content\":\"Zw\\u00f6\""), DELTA("\"content\":\"lf \\\"ja\\\"\""),
	        "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"other\"}}]}\n\n", NULL};
	size_t at;
	cr_expect_not(parts("Zw\u00f6lf \"ja\"", &at, SAME, true),
	        "escapes and other choices count for nothing");
	cr_expect(parts("Zw\u00f6lf \"nein\"", &at, SAME, true));
	cr_expect_eq(at, 8);
	cr_expect(parts("Zw\u00f6lf \"ja\" und mehr", &at, SAME, true), "it ended too soon");
	cr_expect_eq(at, 11);
	cr_expect(parts("Zw\u00f6", &at, SAME, true), "it went on");
	cr_expect_eq(at, 4);
}

Test(pulse, a_character_that_is_split_between_pieces_is_compared_whole)
{
	static const char *const SPLIT[] = {DELTA("\"content\":\"a\\ud83d\""),
	        DELTA("\"content\":\"\""), DELTA("\"content\":\"\\ude00b\""), NULL};
	static const char *const CUT[] = {DELTA("\"content\":\"a\\ud83d\""), NULL};
	size_t at;
	cr_expect_not(parts("a\U0001F600b", &at, SPLIT, true));
	cr_expect(parts("a\U0001F601b", &at, SPLIT, true));
	cr_expect_not(parts("a\ufffd", &at, CUT, true), "the other half never came");
	cr_expect(parts("a", &at, CUT, true));
	cr_expect_eq(at, 1);
	cr_expect(parts("a\U0001F600", &at, CUT, true));
}

Test(pulse, a_whole_answers_text_is_held_against_another_too)
{
	static const char *const WHOLE[] = {
	        "{\"choices\":[{\"message\":{\"content\":\"Yes.\"},\"index\":0}]}", NULL};
	static const char *const SILENT[] = {
	        "{\"choices\":[{\"message\":{\"content\":null}}]}", NULL};
	size_t at;
	cr_expect_not(parts("Yes.", &at, WHOLE, false));
	cr_expect(parts("No.", &at, WHOLE, false));
	cr_expect_eq(at, 0);
	cr_expect_not(parts("", &at, SILENT, false));
	cr_expect(parts("Yes.", &at, SILENT, false));
}
