#include "backends/injection/cut_stream.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/injection/edits.h"
#include "base/json.h"
#include "base/mem.h"

static const struct request_facts nothing_asked;
static const struct injection all_injected = {.logprobs = true, .usage = true, .top = 5};
static const struct injection logprobs_injected = {.logprobs = true, .top = 5};
static const struct kind null_kind = {KIND_NULL, KIND_NULL};
static const struct kind absent_kind = {KIND_ABSENT, KIND_ABSENT};

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

/* An engine that spells what was asked for wrongly breaks no answer of a client who did not ask. */
Test(cut, takes_what_is_not_valid_in_itself)
{
	expect_cut("{\"choices\":[{\"logprobs\":{\"a\"},\"i\":0}]}", &logprobs_injected,
	        absent_kind, CUT_DONE, "{\"choices\":[{\"i\":0}]}");
	expect_cut("{\"choices\":[{\"i\":0,\"logprobs\":[nan,,]}]}", &logprobs_injected, null_kind,
	        CUT_DONE, "{\"choices\":[{\"i\":0,\"logprobs\":null}]}");
}

/* Feeds in pieces of `step` bytes, the first of `first`. */
static void cut_stream(struct span body, const struct injection *injected, struct kind kind,
        size_t limit, size_t first, size_t step, struct buf *out, bool *ret_uncut)
{
	struct cut_stream *c = cut_stream_create(injected, kind, limit);
	buf_clear(out);
	*ret_uncut = false;
	for (size_t at = 0, n = first; at < body.len; at += n, n = step) {
		n = MIN(n, body.len - at);
		/* So that a sanitizer sees one byte too far. */
		char *piece = xmemdup(body.data + at, n);
		cut_stream_feed(c, piece, n, out, ret_uncut);
		free(piece);
		cr_assert_leq(cut_stream_held(c), 2 * limit);
	}
	cut_stream_end(c, out, ret_uncut);
	cut_stream_destroy(c);
}

/* One event between two others, which stay; what is left of it. Empty: it goes whole. */
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
	        EVENT(USAGE ",\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]"),
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
	        "event: message\nid: 7\ndata: {\"choices\":[{\"delta\":{}," LP "}]}\n\n",
	};
	struct kind silent = absent_kind;
	silent.silent = true;
	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		expect_event(events[i], &all_injected, absent_kind, "");
		expect_event(events[i], &all_injected, null_kind, "");
	}
	/* An engine that sends such events unasked sends them without logprobs. */
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
	/* The client asked for usage, and gets it. */
	expect_event(EVENT("\"choices\":[{\"delta\":{}," LP "}]," USAGE), &logprobs_injected,
	        absent_kind, EVENT("\"choices\":[{\"delta\":{}}]," USAGE));
}

/* Engines that make text of whole characters send them unasked too. */
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
	/* Not where usage came with it. */
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

/* A recorded answer's body, de-chunked. */
static void read_body(const char *path, struct buf *to)
{
	FILE *f = fopen(path, "rb");
	cr_assert_not_null(f, "%s", path);
	struct buf raw = {0};
	raw.len = fread(buf_reserve(&raw, 1 << 22), 1, 1 << 22, f);
	fclose(f);
	char *body = strstr(buf_cstr(&raw), "\r\n\r\n");
	cr_assert_not_null(body, "%s", path);
	*body = '\0';
	bool chunked = strcasestr(raw.data, "transfer-encoding: chunked");
	body += 4;
	char *end = raw.data + raw.len;
	buf_clear(to);
	while (chunked && body < end) {
		char *data;
		size_t n = strtoul(body, &data, 16);
		cr_assert_eq(memcmp(data, "\r\n", 2), 0, "%s", path);
		if (n == 0) {
			break;
		}
		buf_append(to, data + 2, n);
		body = data + 2 + n + 2;
	}
	if (!chunked) {
		buf_append(to, body, (size_t)(end - body));
	}
	cr_assert_gt(to->len, 0, "%s", path);
	buf_finish(&raw);
}

/* Puts one value in place of those that differ between any two answers. */
static void normalise(struct buf *text)
{
	static const struct {
		const char *key, *stop;
	} keys[] = {{"\"id\": \"", "\""}, {"\"id\":\"", "\""}, {"\"created\": ", ","},
	        {"\"created\":", ","}, {"\"cached_tokens\": ", "}"}};
	struct buf out = {0};
	const char *p = buf_cstr(text), *end = p + text->len;
	while (p < end) {
		size_t i = 0;
		while (i < ARRAY_LEN(keys) && strncmp(p, keys[i].key, strlen(keys[i].key)) != 0) {
			i++;
		}
		if (i == ARRAY_LEN(keys)) {
			buf_append_char(&out, *p++);
			continue;
		}
		buf_append_str(&out, keys[i].key);
		p += strlen(keys[i].key);
		p += strcspn(p, keys[i].stop);
	}
	buf_finish(text);
	*text = out;
}

static void cut_body(struct span body, bool stream, const struct injection *injected,
        struct kind kind, struct buf *out)
{
	buf_clear(out);
	if (stream) {
		bool uncut;
		cut_stream(body, injected, kind, 1 << 20, 1000, 1000, out, &uncut);
		cr_assert(!uncut);
	} else {
		enum cut cut = cut_json(body, injected, kind, out);
		cr_assert(cut == CUT_DONE || cut == CUT_KEPT);
	}
}

/* The answer at `injected`, cut as learned from the one at `plain`, is the plain one. Returns if
 * that took a cut. */
static bool expect_pair(
        const char *plain_path, const char *injected_path, const struct injection *injected)
{
	struct buf plain = {0}, with = {0}, out = {0};
	bool stream = strstr(plain_path, "-unary-") == NULL;
	read_body(plain_path, &plain);
	read_body(injected_path, &with);
	struct kind kind = kind_of_answer(buf_span(&plain), stream, &nothing_asked, NULL);
	cr_assert(kind_can_cut(kind.logprobs), "%s: %d", plain_path, kind.logprobs);
	cr_assert(!stream || !injected->usage || kind_can_cut(kind.usage), "%s: %d", plain_path,
	        kind.usage);
	cut_body(buf_span(&with), stream, injected, kind, &out);
	bool cut = !span_equal(buf_span(&out), buf_span(&with));
	normalise(&plain);
	normalise(&out);
	cr_expect(span_equal(buf_span(&plain), buf_span(&out)), "%s:\n%s\nbut cut:\n%s", plain_path,
	        buf_cstr(&plain), buf_cstr(&out));
	buf_finish(&plain);
	buf_finish(&with);
	buf_finish(&out);
	return cut;
}

static char *replaced(const char *s, const char *old, const char *new)
{
	const char *at = strstr(s, old);
	cr_assert_not_null(at, "%s", s);
	return xasprintf("%.*s%s%s", (int)(at - s), s, new, at + strlen(old));
}

Test(cut, every_recorded_answer_becomes_what_the_engine_sends_unasked)
{
	const char *dir = getenv("GOLDEN_DIR");
	cr_assert_not_null(dir);
	char *pattern = xasprintf("%s/*/cut-*-plain.response", dir);
	glob_t found;
	cr_assert_eq(glob(pattern, 0, NULL, &found), 0);
	size_t n_cut = 0, n_dropped = 0;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *plain = found.gl_pathv[i];
		char *with = replaced(plain, "-plain.", "-injected.");
		if (!strstr(plain, "-usage-")) {
			n_cut += expect_pair(plain, with, &logprobs_injected);
		}
		if (strstr(plain, "-stream-")) {
			/* Both injected: the recorded answer with usage, against the one without
			 * anything. */
			char *usage = replaced(with, "-stream-", "-usage-");
			n_dropped += expect_pair(plain, usage, &all_injected);
			free(usage);
			usage = replaced(plain, "-stream-", "-usage-");
			expect_pair(plain, usage, &(struct injection){.usage = true});
			free(usage);
		}
		free(with);
	}
	cr_expect_eq(found.gl_pathc, 24);
	/* vLLM and llama-cpp-python: all 8; Ollama: chat; mlx-lm: unary. */
	cr_expect_eq(n_cut, 12, "%zu", n_cut);
	/* Two each: logprobs or the usage event (llama-cpp-python sends none). */
	cr_expect_eq(n_dropped, 8, "%zu", n_dropped);
	globfree(&found);
	free(pattern);
}

static const struct injection ids_injected = {.logprobs = true, .top = 2, .token_ids = true};

/* vLLM has token_ids and prompt_token_ids as null where they were not asked for. */
Test(cut, recorded_token_ids_become_what_the_engine_sends_unasked)
{
	static const char *const names[][2] = {
	        {"chat", "ids-chat"}, {"completion", "ids-completion"}};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *dir = getenv("GOLDEN_DIR");
		struct buf plain = {0}, with = {0}, out = {0};
		char *path = xasprintf("%s/vllm-0.32.0/%s.response", dir, names[i][0]);
		char *ids_path = xasprintf("%s/vllm-0.32.0/%s.response", dir, names[i][1]);
		read_body(path, &plain);
		read_body(ids_path, &with);
		struct kind kind = kind_of_answer(buf_span(&plain), false, &nothing_asked, NULL);
		cr_expect_eq(kind.token_ids, KIND_NULL);
		cut_body(buf_span(&with), false, &ids_injected, kind, &out);
		normalise(&plain);
		normalise(&out);
		cr_expect_str_eq(buf_cstr(&out), buf_cstr(&plain));
		cut_body(buf_span(&with), false, &logprobs_injected, kind, &out);
		cr_expect(strstr(buf_cstr(&out), "\"token_ids\":["), "asked for by the client");
		buf_finish(&plain);
		buf_finish(&with);
		buf_finish(&out);
		free(path);
		free(ids_path);
	}
}

/* The recorded stream with ids has a usage event, since it was asked for; so has the plain one. */
Test(cut, recorded_token_ids_in_streams_become_what_the_engine_sends_unasked)
{
	static const char *const names[][2] = {{"chat-stream-usage", "ids-chat-stream"},
	        {"completion-stream-usage", "ids-completion-stream"}};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char *path =
		        xasprintf("%s/vllm-0.32.0/%s.response", getenv("GOLDEN_DIR"), names[i][0]);
		char *ids_path =
		        xasprintf("%s/vllm-0.32.0/%s.response", getenv("GOLDEN_DIR"), names[i][1]);
		cr_expect(expect_pair(path, ids_path, &ids_injected));
		free(path);
		free(ids_path);
	}
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

/* Where the client asked for usage itself, only logprobs are cut. */
Test(cut, usage_that_the_client_asked_for_stays)
{
	const char *dir = getenv("GOLDEN_DIR");
	static const char *const names[] = {"vllm-0.32.0/cut-chat", "vllm-0.32.0/cut-completion",
	        "llama-cpp-python-0.3.36/cut-chat", "ollama-0.17.4/cut-chat",
	        "mlx-lm-0.32.2/cut-chat", "ollama-0.17.4/cut-completion"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char *plain = xasprintf("%s/%s-usage-plain.response", dir, names[i]);
		char *with = xasprintf("%s/%s-usage-injected.response", dir, names[i]);
		expect_pair(plain, with, &logprobs_injected);
		free(plain);
		free(with);
	}
}

Test(cut, a_recorded_stream_is_cut_alike_however_it_is_split)
{
	char *path = xasprintf(
	        "%s/ollama-0.17.4/cut-chat-usage-injected.response", getenv("GOLDEN_DIR"));
	struct buf body = {0}, whole = {0}, out = {0};
	bool uncut;
	read_body(path, &body);
	struct span part = {body.data, MIN(body.len, (size_t)6000)};
	cut_stream(part, &all_injected, absent_kind, 1 << 20, part.len, part.len, &whole, &uncut);
	for (size_t first = 1; first < part.len; first++) {
		cut_stream(
		        part, &all_injected, absent_kind, 1 << 20, first, part.len, &out, &uncut);
		cr_assert(span_equal(buf_span(&out), buf_span(&whole)), "split at %zu", first);
	}
	cut_stream(part, &all_injected, absent_kind, 1 << 20, 1, 1, &out, &uncut);
	cr_assert(span_equal(buf_span(&out), buf_span(&whole)));
	buf_finish(&body);
	buf_finish(&whole);
	buf_finish(&out);
	free(path);
}

static size_t count(const struct buf *text, const char *what)
{
	size_t n = 0;
	for (const char *p = text->data; p && (p = strstr(p, what)); p++) {
		n++;
	}
	return n;
}

/* What was learned of an engine need not have had such characters. */
Test(cut, recorded_characters_of_several_tokens_come_in_the_events_of_a_plain_answer)
{
	static const char *const names[] = {"chat", "completion"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct buf plain = {0}, with = {0}, out = {0};
		char *name = xasprintf(
		        "%s/vllm-0.32.0-qwen/emoji-%s-stream", getenv("GOLDEN_DIR"), names[i]);
		char *plain_path = xasprintf("%s-plain.response", name);
		char *with_path = xasprintf("%s-injected.response", name);
		read_body(plain_path, &plain);
		read_body(with_path, &with);
		cut_body(buf_span(&with), true, &logprobs_injected, (struct kind){KIND_NULL}, &out);
		normalise(&plain);
		normalise(&out);
		cr_expect(span_equal(buf_span(&plain), buf_span(&out)), "%s:\n%s\nbut cut:\n%s",
		        plain_path, buf_cstr(&plain), buf_cstr(&out));
		buf_finish(&plain);
		buf_finish(&with);
		buf_finish(&out);
		free(name);
		free(plain_path);
		free(with_path);
	}
}

/* vLLM's reasoning parser swallows tokens, which come as events of their own with logprobs. */
Test(cut, recorded_events_that_have_logprobs_alone_go)
{
	char *path = xasprintf("%s/vllm-0.32.0/chat-think-stream.response", getenv("GOLDEN_DIR"));
	struct buf body = {0}, out = {0};
	read_body(path, &body);
	cut_body(buf_span(&body), true, &logprobs_injected, (struct kind){KIND_NULL}, &out);
	size_t alone = count(&body, "\"delta\":{},\"logprobs\":{");
	cr_expect_gt(alone, 0);
	cr_expect_eq(count(&out, "data: "), count(&body, "data: ") - alone);
	cr_expect_eq(count(&out, "\"logprobs\":{"), 0);
	buf_finish(&body);
	buf_finish(&out);
	free(path);
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
	        /* nothing to put back: it has it, or nobody has */
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
	/* Only where usage was injected is anything held. */
	struct cut_stream *c = cut_stream_create(&logprobs_injected, kind, 4096);
	buf_clear(&out);
	cut_stream_feed(c, LAST(""), strlen(LAST("")), &out, &uncut);
	cr_expect_str_eq(buf_cstr(&out), LAST(""));
	cut_stream_destroy(c);
	buf_finish(&out);
}
