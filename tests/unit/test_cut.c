#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "capture/edits.h"
#include "base/json.h"
#include "base/mem.h"
#include "cut_pieces.h"

static void expect_cut(const char *json, const struct injection *injected, struct kind kind,
        enum cut expected, const char *left)
{
	struct buf out = {0};
	buf_append_str(&out, "before|");
	enum cut cut = cut_json(span_of(json), injected, kind, &out);
	cr_expect_eq(cut, expected, "%d for %s", cut, json);
	cr_expect_str_eq(buf_cstr(&out) + 7, left);
	buf_finish(&out);
}

Test(cut, puts_null_where_the_engine_has_null)
{
	expect_cut(
	        "{\"choices\": [{\"index\": 0, \"logprobs\": {\"content\": [1, {}]}, \"x\": 1}]}",
	        &logprobs_injected, null_kind, CUT_DONE,
	        "{\"choices\": [{\"index\": 0, \"logprobs\": null, \"x\": 1}]}");
	expect_cut("{\"choices\":[{\"logprobs\":null}]}", &logprobs_injected, null_kind, CUT_KEPT,
	        "{\"choices\":[{\"logprobs\":null}]}");
	expect_cut("{\"choices\":[{\"logprobs\":[NaN,-Infinity]},{\"logprobs\":1}]}",
	        &logprobs_injected, null_kind, CUT_DONE,
	        "{\"choices\":[{\"logprobs\":null},{\"logprobs\":null}]}");
}

Test(cut, takes_the_member_with_one_comma_wherever_it_stands)
{
	static const char *const cases[][2] = {
	        {"{\"choices\":[{\"logprobs\":{\"a\":[]},\"i\":0}]}", "{\"choices\":[{\"i\":0}]}"},
	        {"{\"choices\":[{\"i\":0,\"logprobs\":{},\"j\":1}]}",
	                "{\"choices\":[{\"i\":0,\"j\":1}]}"},
	        {"{\"choices\":[{\"i\":0,\"logprobs\":{}}]}", "{\"choices\":[{\"i\":0}]}"},
	        {"{\"choices\":[{\"logprobs\":null}]}", "{\"choices\":[{}]}"},
	        {"{\"choices\": [{\"logprobs\": {}, \"i\": 0}]}", "{\"choices\": [{\"i\": 0}]}"},
	        {"{\"choices\": [{\"i\": 0, \"logprobs\": {}, \"j\": 1}]}",
	                "{\"choices\": [{\"i\": 0, \"j\": 1}]}"},
	        {"{\"choices\": [{\"i\": 0, \"logprobs\": {}}]}", "{\"choices\": [{\"i\": 0}]}"},
	        {"{\"choices\":[\n  {\n    \"i\": 0,\n    \"logprobs\": {},\n    \"j\": 1\n  }]}",
	                "{\"choices\":[\n  {\n    \"i\": 0,\n    \"j\": 1\n  }]}"},
	        {"{\"choices\":[\n  {\n    \"i\": 0,\n    \"logprobs\": {}\n  }]}",
	                "{\"choices\":[\n  {\n    \"i\": 0\n  }]}"},
	        {"{\"choices\":[\n  {\n    \"logprobs\": {},\n    \"i\": 0\n  }]}",
	                "{\"choices\":[\n  {\n    \"i\": 0\n  }]}"},
	        {"{\"choices\":[{\"logprobs\":1,\"logprobs\":2,\"i\":0,\"logprobs\":3,\"logprobs\":"
	         "4}]}",
	                "{\"choices\":[{\"i\":0}]}"},
	        {"{\"choices\":[{\"i\":0,\"\\u006cogprobs\":{}},{\"i\":1,\"logprobs\":{}}]}",
	                "{\"choices\":[{\"i\":0},{\"i\":1}]}"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		expect_cut(cases[i][0], &logprobs_injected, absent_kind, CUT_DONE, cases[i][1]);
	}
}

Test(cut, touches_nothing_but_choices_and_what_was_injected)
{
	static const char in_message[] = "{\"choices\":[{\"message\":{\"content\":"
	                                 "\"\\\"logprobs\\\":{}\",\"logprobs\":{}}}]}";
	static const char *const same[] = {
	        "{\"logprobs\":1,\"error\":{\"logprobs\":{}}}",
	        in_message,
	        "{\"choices\":{\"logprobs\":{}}}",
	        "{\"choices\":[[{\"logprobs\":{}}],1,\"logprobs\"]}",
	        "{\"choices\":[],\"usage\":{\"total_tokens\":1}}",
	};
	for (size_t i = 0; i < ARRAY_LEN(same); i++) {
		expect_cut(same[i], &logprobs_injected, absent_kind, CUT_KEPT, same[i]);
		expect_cut(same[i], &logprobs_injected, null_kind, CUT_KEPT, same[i]);
	}
	const char *asked = "{\"choices\":[{\"logprobs\":{}}]}";
	expect_cut(asked, &(struct injection){.usage = true}, absent_kind, CUT_KEPT, asked);
}

Test(cut, passes_what_is_not_a_json_object)
{
	static const char *const texts[] = {"[DONE]", "", "null",
	        "{\"choices\":[{\"logprobs\":{}}]", "{\"choices\":[{\"logprobs\":{}}]}x",
	        "{\"choices\":[{\"logprobs\":{},}]}", "{\"choices\":[{\"logprobs\":{\"a\"}}}]}",
	        "{\"choices\":[{\"message\":{\"a\"},\"logprobs\":{}}]}",
	        "{\"choices\":[{\"i\":0,\"logprobs\":tru}]}"};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		expect_cut(texts[i], &all_injected, absent_kind, CUT_FAILED, texts[i]);
		expect_cut(texts[i], &all_injected, null_kind, CUT_FAILED, texts[i]);
	}
}

/* If an engine misspells the injected member, a client that did not request it gets a plain
 * answer. */
Test(cut, takes_what_is_not_valid_in_itself)
{
	expect_cut("{\"choices\":[{\"logprobs\":{\"a\"},\"i\":0}]}", &logprobs_injected,
	        absent_kind, CUT_DONE, "{\"choices\":[{\"i\":0}]}");
	expect_cut("{\"choices\":[{\"i\":0,\"logprobs\":[nan,,]}]}", &logprobs_injected, null_kind,
	        CUT_DONE, "{\"choices\":[{\"i\":0,\"logprobs\":null}]}");
}

/* Tests one event between two others, which stay. want: what remains of it; empty: the whole event
 * is removed. */
static void expect_event(
        const char *event, const struct injection *injected, struct kind kind, const char *left)
{
	static const char other[] = "data: {\"choices\":[{\"text\":\"a\"}]}\n\n";
	char *body = xasprintf("%s%s%s", other, event, other);
	char *expected = xasprintf("%s%s%s", other, left, other);
	struct buf out = {0};
	bool uncut;
	for (size_t step = 1; step <= strlen(body); step += 1 + step / 8) {
		cut_stream(span_of(body), injected, kind, 4096, step, step, &out, &uncut);
		cr_assert_str_eq(buf_cstr(&out), expected, "%s", event);
		cr_assert(!uncut, "%s", event);
	}
	buf_finish(&out);
	free(body);
	free(expected);
}

#define EVENT(json) "data: {\"id\":\"x\",\"object\":\"chat.completion\"," json "}\n\n"
#define USAGE "\"usage\":{\"prompt_tokens\":3,\"details\":{\"a\":0}}"
#define ZEROS "\"usage\":{\"prompt_tokens\":0,\"details\":{\"a\":0.0},\"cost\":null}"

Test(cut, the_usage_event_goes_whole_in_whatever_shape)
{
	static const char *const events[] = {
	        EVENT("\"choices\":[]," USAGE),
	        EVENT(USAGE ",\"choices\":[]"),
	        EVENT("\"choices\":[]," ZEROS),
	        EVENT("\"choices\":null," USAGE),
	        EVENT(USAGE),
	        EVENT("\"system_fingerprint\":null,\"provider\":\"p\",\"choices\":[]," USAGE),
	        EVENT("\"choices\":[{\"index\":0,\"delta\":{}}]," USAGE),
	        EVENT("\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":null}]," USAGE),
	        EVENT("\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\",\"tool_calls\":[]},"
	              "\"logprobs\":null}]," USAGE),
	        EVENT(USAGE
	                ",\"choices\":[{\"index\":0,\"text\":\"\",\"logprobs\":{\"tokens\":[1]}}"
	                "]"),
	        EVENT("\"choices\":[{\"index\":1,\"text\":\"\"},{\"index\":0,\"text\":\"\"}]"
	              "," USAGE),
	        EVENT(USAGE ",\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]"),
	        "event: message\r\nid: 7\r\ndata: {\"choices\":[],\"usage\":{\"a\":1}}\r\n\r\n",
	        "data: {\"choices\":\ndata: [],\"usage\":{\"a\":1}}\n\n",
	};
	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		expect_event(events[i], &all_injected, absent_kind, "");
		expect_event(events[i], &all_injected, null_kind, "");
	}
}

Test(cut, what_the_engine_says_beside_usage_stays_and_so_does_its_usage)
{
	static const char *const events[] = {
	        EVENT("\"choices\":[{\"text\":\"b\"}]," USAGE),
	        EVENT(USAGE ",\"choices\":[{\"delta\":{\"content\":\"b\"}}]"),
	        EVENT("\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]," USAGE),
	        EVENT(USAGE ",\"choices\":[{\"index\":1,\"delta\":{\"role\":\"assistant\"}}]"),
	        EVENT("\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0}]}}]," USAGE),
	        EVENT("\"choices\":[{\"text\":\"\"},{\"text\":\"b\"}]," USAGE),
	        /* Azure's first event: no choices, and no usage either. */
	        EVENT("\"choices\":[],\"prompt_filter_results\":[]"),
	};
	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		expect_event(events[i], &all_injected, absent_kind, events[i]);
		expect_event(events[i], &all_injected, null_kind, events[i]);
	}
	/* The event stays, the usage does not, as it is no part of an answer's choices. */
	expect_event(EVENT("\"choices\":[],\"error\":{\"code\":1}," USAGE), &all_injected,
	        absent_kind, EVENT("\"choices\":[],\"error\":{\"code\":1}"));
	expect_event(EVENT("\"type\":\"x\"," USAGE), &all_injected, absent_kind,
	        EVENT("\"type\":\"x\""));
	const struct injection none = {.logprobs = true};
	expect_event(
	        EVENT("\"choices\":[]," USAGE), &none, absent_kind, EVENT("\"choices\":[]," USAGE));
}

Test(cut, a_usage_that_counts_nothing_is_cut_from_each_event)
{
	static const char *const usages[] = {"\"usage\":null", "\"usage\":{}", ZEROS};
	for (size_t i = 0; i < ARRAY_LEN(usages); i++) {
		char *with = xasprintf(EVENT("\"choices\":[{\"text\":\"b\"}],%s"), usages[i]);
		char *first = xasprintf(EVENT("%s,\"choices\":[{\"text\":\"b\"}]"), usages[i]);
		expect_event(
		        with, &all_injected, absent_kind, EVENT("\"choices\":[{\"text\":\"b\"}]"));
		expect_event(
		        first, &all_injected, absent_kind, EVENT("\"choices\":[{\"text\":\"b\"}]"));
		expect_event(with, &all_injected, null_kind,
		        EVENT("\"choices\":[{\"text\":\"b\"}],\"usage\":null"));
		free(with);
		free(first);
	}
}

#define LP "\"logprobs\":{\"content\":[{\"token\":\"a\",\"logprob\":-1}]}"

Test(cut, an_event_that_has_logprobs_alone_goes_whole)
{
	static const char *const events[] = {
	        EVENT("\"choices\":[{\"index\":0,\"delta\":{}," LP ",\"finish_reason\":null}]"),
	        EVENT("\"choices\":[{\"index\":0,\"delta\":{\"content\":null,\"role\":null}," LP
	              "}]"),
	        EVENT("\"choices\":[{\"index\":0," LP "}]"),
	        EVENT("\"choices\":[{" LP
	              ",\"text\":null,\"stop_reason\":null,\"token_ids\":null}]"),
	        EVENT("\"choices\":[{\"index\":1,\"delta\":{}," LP "},{\"index\":0,\"delta\":{}}]"),
	        EVENT("\"usage\":null,\"choices\":[{\"index\":0,\"delta\":{}," LP "}]"),
	        EVENT(ZEROS ",\"choices\":[{\"index\":0,\"delta\":{}," LP "}]"),
	        EVENT("\"choices\":[{\"delta\":{\"role\":\"assistant\"}," LP "}]"),
	        "event: message\nid: 7\ndata: {\"choices\":[{\"delta\":{}," LP "}]}\n\n",
	};
	struct kind silent = absent_kind;
	silent.silent = true;
	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		expect_event(events[i], &all_injected, absent_kind, "");
		expect_event(events[i], &all_injected, null_kind, "");
	}
	/* An engine that sends such events without a request for logprobs sends them without
	 * logprobs. */
	expect_event(events[2], &all_injected, silent, EVENT("\"choices\":[{\"index\":0}]"));
	expect_event(EVENT("\"choices\":[{\"text\":\"\"," LP "},{\"text\":\"b\"," LP "}]"),
	        &all_injected, absent_kind,
	        EVENT("\"choices\":[{\"text\":\"\"},{\"text\":\"b\"}]"));
	expect_event(EVENT("\"choices\":[{\"delta\":{}," LP "}],\"error\":\"e\""), &all_injected,
	        absent_kind, EVENT("\"choices\":[{\"delta\":{}}],\"error\":\"e\""));
	/* Nothing in it was injected. */
	expect_event(EVENT("\"choices\":[{\"delta\":{},\"logprobs\":null}]"), &all_injected,
	        null_kind, EVENT("\"choices\":[{\"delta\":{},\"logprobs\":null}]"));
	expect_event(events[0], &(struct injection){.usage = true}, absent_kind, events[0]);
	/* The client requested usage, and gets it. */
	expect_event(EVENT("\"choices\":[{\"delta\":{}," LP "}]," USAGE), &logprobs_injected,
	        absent_kind, EVENT("\"choices\":[{\"delta\":{}}]," USAGE));
}

/* Engines that send only whole characters also send such events without a request for logprobs. */
Test(cut, an_event_with_an_empty_text_stays_without_its_logprobs)
{
	expect_event(EVENT("\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"}," LP "}]"),
	        &all_injected, absent_kind,
	        EVENT("\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"}}]"));
	expect_event(
	        EVENT("\"choices\":[{\"index\":0,\"text\":\"\"," LP ",\"finish_reason\":null}]"),
	        &all_injected, null_kind,
	        EVENT("\"choices\":[{\"index\":0,\"text\":\"\",\"logprobs\":null,"
	              "\"finish_reason\":null}]"));
	/* The event is not removed if it has usage. */
	expect_event(EVENT("\"choices\":[{\"index\":0,\"text\":\"\"," LP "}]," USAGE),
	        &all_injected, absent_kind, "");
}

Test(cut, comments_in_an_event_that_goes_stay)
{
	expect_event(": ping 1\r\nid: 7\r\ndata: {\"choices\":[{\"delta\":{}," LP
	             "}]}\r\n:2\r\n\r\n",
	        &all_injected, absent_kind, ": ping 1\r\n:2\r\n");
	expect_event(
	        ":\ndata: {\"choices\":[],\"usage\":{}}\n\n", &all_injected, absent_kind, ":\n");
}

Test(cut, a_comment_that_begins_each_event_goes_with_its_event)
{
	static const char body[] = ": c\ndata: {\"choices\":[{\"text\":\"a\"}]}\n\n"
	                           ": c\ndata: {\"choices\":[]," USAGE "}\n\n";
	struct buf out = {0};
	bool uncut;
	cut_stream(SPAN(body), &all_injected, absent_kind, 4096, 9, 9, &out, &uncut);
	cr_expect_str_eq(buf_cstr(&out), ": c\ndata: {\"choices\":[{\"text\":\"a\"}]}\n\n");
	buf_finish(&out);
}

Test(cut, streams_lose_only_what_was_added)
{
	static const char body[] =
	        ": keepalive 1/2\n\n"
	        "id: 7\r\ndata: "
	        "{\"choices\":[{\"i\":0,\"logprobs\":{\"a\":1}}],\"usage\":null}\r\n\r\n"
	        "\n"
	        "event: x\ndata:{\"choices\":[{\"logprobs\":[],\"text\":1}]}\n: note\n\n"
	        "data: {\"error\":{\"message\":\"m\"}}\n\n"
	        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1}}\n\n"
	        "data: [DONE]\n\n";
	static const char left[] = ": keepalive 1/2\n\n"
	                           "id: 7\r\ndata: {\"choices\":[{\"i\":0}]}\r\n\r\n"
	                           "\n"
	                           "event: x\ndata:{\"choices\":[{\"text\":1}]}\n: note\n\n"
	                           "data: {\"error\":{\"message\":\"m\"}}\n\n"
	                           "data: [DONE]\n\n";
	struct buf out = {0};
	bool uncut;
	for (size_t first = 1; first < sizeof(body); first++) {
		cut_stream(SPAN(body), &all_injected, absent_kind, 4096, first, first % 7 + 1, &out,
		        &uncut);
		cr_assert_str_eq(buf_cstr(&out), left);
		cr_assert(!uncut);
	}
	buf_finish(&out);
}

Test(cut, an_event_leaves_as_soon_as_it_is_whole)
{
	struct cut_stream *c = cut_stream_create(&all_injected, absent_kind, 4096);
	struct buf out = {0};
	bool uncut = false;
	cut_stream_feed(c, "data: {\"choices\":[{\"i\":0}]}\n", 28, &out, &uncut);
	cr_expect_eq(out.len, 0);
	cr_expect_eq(cut_stream_held(c), 28);
	cut_stream_feed(c, "\ndata: {", 8, &out, &uncut);
	cr_expect_str_eq(buf_cstr(&out), "data: {\"choices\":[{\"i\":0}]}\n\n");
	cr_expect_eq(cut_stream_held(c), 7);
	cut_stream_end(c, &out, &uncut);
	cr_expect_str_eq(buf_cstr(&out), "data: {\"choices\":[{\"i\":0}]}\n\ndata: {");
	cut_stream_destroy(c);
	buf_finish(&out);
}

Test(cut, an_event_over_the_limit_passes_uncut_and_the_next_is_cut)
{
	struct buf body = {0}, expected = {0}, out = {0};
	bool uncut;
	buf_append_str(&body, "data: {\"choices\":[{\"logprobs\":\"");
	for (int i = 0; i < 100; i++) {
		buf_append_str(&body, "0123456789");
	}
	buf_append_str(&body, "\"}]}\n\n");
	buf_append_span(&expected, buf_span(&body));
	buf_append_str(&body, "data: {\"choices\":[{\"logprobs\":1,\"text\":1}]}\n\n");
	buf_append_str(&expected, "data: {\"choices\":[{\"text\":1}]}\n\n");
	for (size_t step = 1; step < body.len; step += 13) {
		cut_stream(
		        buf_span(&body), &all_injected, absent_kind, 256, step, step, &out, &uncut);
		cr_assert(uncut);
		cr_assert(span_equal(buf_span(&out), buf_span(&expected)), "%s", buf_cstr(&out));
	}
	buf_finish(&body);
	buf_finish(&expected);
	buf_finish(&out);
}

/* vLLM and others end with the event that has the finish_reason. */
Test(cut, what_was_added_after_the_end_of_all_choices_goes)
{
#define END "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
	static const char *const events[] = {
	        EVENT("\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]," USAGE),
	        EVENT("\"choices\":[{\"delta\":{\"done\":false}}]," USAGE),
	        EVENT("\"choices\":[{\"delta\":{}," USAGE "}]"),
	        EVENT("\"choices\":[{\"delta\":{}," LP ",\"finish_reason\":\"stop\"}]"),
	        EVENT("\"stats\":{\"ms\":1}," USAGE),
	        EVENT("\"choices\":[],\"x\":{" USAGE "}"),
	        EVENT("\"choices\":[{\"delta\":{}}]," ZEROS),
	        "data: {\"usage\":\n\n",
	};
	static const char begun[] =
	        "data: {\"choices\":[{\"text\":\"a\",\"finish_reason\":\"\"}]}\n\n";
	static const char *const others[] = {
	        EVENT("\"choices\":[{\"delta\":{\"content\":\"b\"}}]," USAGE),
	        EVENT("\"choices\":[{\"index\":1,\"delta\":{\"role\":\"a\"}}]," USAGE),
	        EVENT("\"stats\":{\"ms\":1}"),
	        "data: [DONE]\n\n",
	};
	struct buf out = {0};
	bool uncut;
	struct kind late = absent_kind;
	late.late = true;
	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		char *body = xasprintf(END "%sdata: [DONE]\n\n", events[i]);
		cut_stream(span_of(body), &all_injected, absent_kind, 4096, 9, 9, &out, &uncut);
		cr_expect_str_eq(buf_cstr(&out), END "data: [DONE]\n\n");
		cr_expect(!uncut, "%s", body);
		cut_stream(span_of(body), &all_injected, late, 4096, 9, 9, &out, &uncut);
		cr_expect_str_neq(buf_cstr(&out), END "data: [DONE]\n\n");
		free(body);
	}
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		char *body = xasprintf(END "%s", others[i]);
		cut_stream(span_of(body), &all_injected, absent_kind, 4096, 9, 9, &out, &uncut);
		cr_expect_str_eq(buf_cstr(&out), body);
		free(body);
	}
	/* An empty reason ends nothing. */
	char *body = xasprintf("%s" EVENT("\"stats\":{\"ms\":1}," USAGE), begun);
	char *left = xasprintf("%s" EVENT("\"stats\":{\"ms\":1}"), begun);
	cut_stream(span_of(body), &all_injected, absent_kind, 4096, 9, 9, &out, &uncut);
	cr_expect_str_eq(buf_cstr(&out), left);
	free(body);
	free(left);
	buf_finish(&out);
}

/* Some engines have a member of their own in every event. */
Test(cut, a_member_that_every_event_has_says_nothing)
{
	static const char body[] = "data: {\"node\":\"a\",\"choices\":[{\"text\":\"a\"}]}\n\n"
	                           "data: {\"node\":\"b\",\"choices\":[{" LP "}]}\n\n"
	                           "data: {\"node\":\"c\",\"choices\":[{" LP "}],\"x\":1}\n\n";
	struct buf out = {0};
	bool uncut;
	cut_stream(SPAN(body), &all_injected, absent_kind, 4096, 9, 9, &out, &uncut);
	cr_expect_str_eq(buf_cstr(&out), "data: {\"node\":\"a\",\"choices\":[{\"text\":\"a\"}]}\n\n"
	                                 "data: {\"node\":\"c\",\"choices\":[{}],\"x\":1}\n\n");
	buf_finish(&out);
}

Test(cut, a_number_after_that_of_an_event_that_goes_is_uncut)
{
	static const struct {
		const char *last;
		enum uncut uncut;
	} cases[] = {
	        {"id: 9\ndata: [DONE]\n\n", UNCUT_IDS},
	        {"id: 8\ndata: [DONE]\n\n", UNCUT_NOT},
	        {"id: x9\ndata: [DONE]\n\n", UNCUT_NOT},
	        {"data: [DONE]\n\n", UNCUT_NOT},
	};
	struct buf out = {0};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct cut_stream *c = cut_stream_create(&all_injected, absent_kind, 4096);
		bool uncut = false;
		char *body =
		        xasprintf("id: 8\ndata: {\"choices\":[]," USAGE "}\n\n%s", cases[i].last);
		cut_stream_feed(c, body, strlen(body), &out, &uncut);
		cr_expect_eq(cut_stream_uncut(c), cases[i].uncut, "%s", cases[i].last);
		cut_stream_destroy(c);
		free(body);
	}
	buf_finish(&out);
}

Test(cut, without_an_event_that_goes_the_stream_ends_as_its_last_event)
{
	static const char *const ends[] = {"", "\n", "\n\n"};
	struct buf out = {0};
	bool uncut;
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		char *body = xasprintf(END "data: {\"choices\":[]," USAGE "}%s", ends[i]);
		char *left = xasprintf("%.*s%s", (int)strlen(END) - 2, END, ends[i]);
		cut_stream(span_of(body), &all_injected, absent_kind, 4096, 9, 9, &out, &uncut);
		cr_expect_str_eq(buf_cstr(&out), left);
		free(body);
		free(left);
	}
	buf_finish(&out);
}

Test(cut, blank_lines_after_an_event_that_goes_go_too)
{
	expect_event("data: {\"choices\":[]," USAGE "}\n\n\n", &all_injected, absent_kind, "");
	expect_event("\n", &all_injected, absent_kind, "\n");
}

#define PLAIN "data: {\"choices\":[{\"i\":0}]}\n\n"

Test(cut, json_over_several_data_lines_is_cut_line_by_line)
{
	static const char *const cases[][2] = {
	        {"data: {\"choices\":[\ndata: {\"logprobs\":1,\"text\":\"b\"}]}\n\n",
	                "data: {\"choices\":[\ndata: {\"text\":\"b\"}]}\n\n"},
	        {"data:{\r\ndata:  \"choices\": [{\r\ndata:   \"text\": \"b\",\r\ndata:   "
	         "\"logprobs\": {\r\ndata:    \"a\": 1}\r\ndata:  }]\r\ndata:}\r\n\r\n",
	                "data:{\r\ndata:  \"choices\": [{\r\ndata:   \"text\": \"b\"\r\ndata:  "
	                "}]\r\ndata:}\r\n\r\n"},
	        {": c\rid: 1\rdata: {\"choices\":[{\"text\":1,\rdata: \"logprobs\":2}\rdata: "
	         "]}\r\r",
	                ": c\rid: 1\rdata: {\"choices\":[{\"text\":1}\rdata: ]}\r\r"},
	        {"data\ndata: {\"choices\":[{\"text\":1,\ndata:\"logprobs\":2}]}\nid: 2\n\n",
	                "data:\ndata: {\"choices\":[{\"text\":1}]}\nid: 2\n\n"},
	        {"data: {\"choices\":\ndata:[{\"text\":1}]}\n\n",
	                "data: {\"choices\":\ndata:[{\"text\":1}]}\n\n"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		expect_event(cases[i][0], &all_injected, absent_kind, cases[i][1]);
	}
}

Test(cut, what_cannot_be_cut_passes_and_says_so)
{
	static const struct {
		const char *body;
		enum uncut uncut;
	} cases[] = {
	        {"data: {\"choices\":[\n: c\ndata: {\"text\":1,\"logprobs\":1}]}\n\n", UNCUT_LINES},
	        {"data: {\"choices\":[{\"logprobs\":1}}\n\n", UNCUT_TEXT},
	        {"data: [{\"choices\":[{\"logprobs\":1}]}]\n\n", UNCUT_TEXT},
	        {"data: {\"usage\":1\n\n", UNCUT_TEXT},
	        {"{\"choices\":[{\"logprobs\":1}]}\n\n", UNCUT_TEXT},
	        {"data: [DONE]\n\n", UNCUT_NOT},
	        {"data: {\"error\": \"no \\\"logprobs\\\"\"\n\n", UNCUT_NOT},
	        {"data: {\"choices\":[\n: c\ndata: {\"text\":1}]}\n\n", UNCUT_NOT},
	};
	struct buf out = {0};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct cut_stream *c = cut_stream_create(&all_injected, absent_kind, 4096);
		bool uncut = false;
		buf_clear(&out);
		cut_stream_feed(c, cases[i].body, strlen(cases[i].body), &out, &uncut);
		cut_stream_feed(c, PLAIN, strlen(PLAIN), &out, &uncut);
		cut_stream_end(c, &out, &uncut);
		cr_expect_eq(uncut, cases[i].uncut != UNCUT_NOT, "%s", cases[i].body);
		cr_expect_eq(cut_stream_uncut(c), cases[i].uncut, "%s", cases[i].body);
		char *expected = xasprintf("%s" PLAIN, cases[i].body);
		cr_expect_str_eq(buf_cstr(&out), expected);
		free(expected);
		cut_stream_destroy(c);
	}
	buf_finish(&out);
}

Test(cut, what_lacks_only_its_blank_line_is_cut_at_the_end)
{
	struct buf out = {0};
	bool uncut;
	cut_stream(SPAN("data: {\"choices\":[{\"i\":0,\"logprobs\":1}]}"), &all_injected,
	        absent_kind, 4096, 9, 9, &out, &uncut);
	cr_expect_str_eq(buf_cstr(&out), "data: {\"choices\":[{\"i\":0}]}");
	cut_stream(SPAN("data: {\"choices\":[{\"logpro"), &all_injected, absent_kind, 4096, 9, 9,
	        &out, &uncut);
	cr_expect_str_eq(buf_cstr(&out), "data: {\"choices\":[{\"logpro");
	buf_finish(&out);
}

Test(cut, an_event_that_has_token_ids_alone_goes_whole)
{
	struct kind kind = {.logprobs = KIND_ABSENT, .token_ids = KIND_ABSENT};
	expect_event(EVENT("\"choices\":[{\"delta\":{},\"logprobs\":{},\"token_ids\":[8291]}]"),
	        &ids_injected, kind, "");
	expect_event(EVENT("\"choices\":[{\"delta\":{},\"token_ids\":[8291]}]"), &ids_injected,
	        kind, "");
	expect_event(EVENT("\"choices\":[{\"text\":\"\",\"prompt_token_ids\":[1,2],"
	                   "\"token_ids\":[8291]}]"),
	        &ids_injected, kind, EVENT("\"choices\":[{\"text\":\"\"}]"));
	expect_event(EVENT("\"choices\":[{\"delta\":{\"role\":\"a\"}}],"
	                   "\"prompt_token_ids\":[1,2]"),
	        &ids_injected, kind, EVENT("\"choices\":[{\"delta\":{\"role\":\"a\"}}]"));
	kind.token_ids = KIND_NULL;
	expect_event(EVENT("\"choices\":[{\"delta\":{},\"token_ids\":[8291]}]"), &ids_injected,
	        kind, "");
}

#define LAST(more) "data: {\"choices\":[{\"i\":0,\"finish_reason\":\"stop\"}]" more "}\n\n"

Test(cut, puts_the_tail_back_where_it_would_have_been)
{
	static const struct {
		const char *body, *left;
	} cases[] = {
	        {PLAIN LAST("") "data: {\"choices\":[],\"usage\":{},\"timings\":[1]}\n\ndata: "
	                        "[DONE]\n\n",
	                PLAIN LAST(",\"timings\":[1]") "data: [DONE]\n\n"},
	        {PLAIN LAST(",\"usage\":null ") ":\n\n: x\n\ndata: {\"choices\":[],\"timings\": 1 "
	                                        ", \"usage\":{}}\n\n",
	                PLAIN LAST(",\"timings\": 1 ") ":\n\n: x\n\n"},
	        /* nothing to restore: it is there, or it never was */
	        {LAST(",\"timings\":1") "data: {\"choices\":[],\"usage\":{},\"timings\":2}\n\n",
	                LAST(",\"timings\":1")},
	        {LAST("") "data: {\"choices\":[],\"usage\":{}}\n\n", LAST("")},
	        /* no usage event follows */
	        {LAST("") LAST("") "data: [DONE]\n\n", LAST("") LAST("") "data: [DONE]\n\n"},
	        {LAST("") ":\n", LAST("") ":\n"},
	        {LAST("") "data: a\ndata: b\n\n", LAST("") "data: a\ndata: b\n\n"},
	};
	struct kind kind = {KIND_ABSENT, KIND_ABSENT, "timings"};
	struct buf out = {0};
	bool uncut;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct span body = span_of(cases[i].body);
		for (size_t step = 1; step <= body.len; step++) {
			cut_stream(body, &all_injected, kind, 4096, step, step, &out, &uncut);
			cr_assert_str_eq(buf_cstr(&out), cases[i].left);
		}
	}
	/* Bytes are held back only if usage was injected. */
	struct cut_stream *c = cut_stream_create(&logprobs_injected, kind, 4096);
	buf_clear(&out);
	cut_stream_feed(c, LAST(""), strlen(LAST("")), &out, &uncut);
	cr_expect_str_eq(buf_cstr(&out), LAST(""));
	cut_stream_destroy(c);
	buf_finish(&out);
}
