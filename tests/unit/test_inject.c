#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "backends/injection/inject.h"
#include "base/mem.h"

/* Returns the body after the edits; NULL: no edit. */
static char *injected(
        enum endpoint endpoint, const char *body, bool logprobs, bool usage, struct injection *ret)
{
	struct request_facts facts;
	struct edits edits;
	struct buf out = {0};
	request_read(endpoint, span_of(body), &facts);
	*ret = (struct injection){0};
	const struct injection want = {.logprobs = logprobs, .usage = usage, .top = 5};
	const struct injectable r = {NULL, endpoint, &facts, span_of(body)};
	if (!inject_request(&r, &want, &edits, ret)) {
		return NULL;
	}
	cr_assert_gt(edits.n, 0);
	edits_apply(edits.items, edits.n, span_of(body), &out);
	edits_finish(&edits);
	return buf_steal(&out);
}

static void expect_body(enum endpoint endpoint, const char *body, const char *expected)
{
	struct injection injection;
	char *got = injected(endpoint, body, true, true, &injection);
	if (expected) {
		cr_expect_str_eq(got ? got : "(nothing)", expected);
	} else {
		cr_expect_null(got, "%s became %s", body, got);
		cr_expect(!injection.logprobs && !injection.usage);
	}
	free(got);
}

#define USAGE "\"stream_options\":{\"include_usage\":true}"
#define CHAT_LOGPROBS "\"logprobs\":true,\"top_logprobs\":5"

Test(inject, adds_before_the_closing_brace)
{
	expect_body(ENDPOINT_CHAT, "{}", "{" CHAT_LOGPROBS "}");
	expect_body(ENDPOINT_CHAT, " { } ", " { " CHAT_LOGPROBS "} ");
	expect_body(ENDPOINT_CHAT, "{\"model\": \"m\"}", "{\"model\": \"m\"," CHAT_LOGPROBS "}");
	expect_body(ENDPOINT_CHAT, "{\n  \"model\": \"m\"\n}\n",
	        "{\n  \"model\": \"m\"," CHAT_LOGPROBS "\n}\n");
	expect_body(ENDPOINT_COMPLETION, "{\"prompt\":\"}\"}", "{\"prompt\":\"}\",\"logprobs\":5}");
	expect_body(ENDPOINT_CHAT, "{\"stream\":true}",
	        "{\"stream\":true," CHAT_LOGPROBS "," USAGE "}");
	expect_body(ENDPOINT_COMPLETION, "{\"stream\":true}",
	        "{\"stream\":true,\"logprobs\":5," USAGE "}");
}

/* Engines accept such numbers, so the request is still injected. */
Test(inject, numbers_that_are_no_json_stay_as_they_came)
{
	expect_body(ENDPOINT_CHAT, "{\"x\":NaN,\"y\":[-Infinity]}",
	        "{\"x\":NaN,\"y\":[-Infinity]," CHAT_LOGPROBS "}");
	expect_body(ENDPOINT_CHAT,
	        "{\"stream\":true,\"logprobs\":true,\"stream_options\":{\"x\":NaN}}",
	        "{\"stream\":true,\"logprobs\":true,\"stream_options\":{\"x\":NaN,"
	        "\"include_usage\":true}}");
}

Test(inject, replaces_what_the_client_set_to_nothing)
{
	expect_body(ENDPOINT_CHAT, "{\"logprobs\": null, \"n\": 1}",
	        "{\"logprobs\": true, \"n\": 1,\"top_logprobs\":5}");
	expect_body(ENDPOINT_CHAT, "{\"top_logprobs\":null,\"logprobs\":false}",
	        "{\"top_logprobs\":5,\"logprobs\":true}");
	expect_body(ENDPOINT_COMPLETION, "{\"logprobs\":null}", "{\"logprobs\":5}");
	expect_body(ENDPOINT_CHAT,
	        "{\"stream\":true,\"logprobs\":null,\"top_logprobs\":null,\"stream_options\":null}",
	        "{\"stream\":true,\"logprobs\":true,\"top_logprobs\":5,\"stream_options\":{"
	        "\"include_usage\":true}}");
}

Test(inject, keeps_the_clients_own_stream_options)
{
	struct injection injection;
	static const char *const cases[][2] = {
	        {"{}", "{\"include_usage\":true}"},
	        {"{\"a\": 1 }", "{\"a\": 1,\"include_usage\":true }"},
	        {"{\"include_usage\": false, \"a\":[]}", "{\"include_usage\": true, \"a\":[]}"},
	        {"{\"include_usage\":null}", "{\"include_usage\":true}"},
	        {"{\"include_usage\":true,\"include_usage\":false}",
	                "{\"include_usage\":true,\"include_usage\":true}"},
	        {"{\"include_usage\":true}", NULL},
	        {"{\"include_usage\":1}", NULL},
	        {"{\"continuous_usage_stats\":true}", NULL},
	        {"{\"continuous_usage_stats\":false}",
	                "{\"continuous_usage_stats\":false,\"include_usage\":true}"},
	        {"[]", NULL},
	        {"\"x\"", NULL},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *body = xasprintf("{\"stream\":true,\"stream_options\":%s}", cases[i][0]);
		char *got = injected(ENDPOINT_CHAT, body, false, true, &injection);
		cr_expect_eq(injection.usage, cases[i][1] != NULL);
		if (cases[i][1]) {
			char *left =
			        xasprintf("{\"stream\":true,\"stream_options\":%s}", cases[i][1]);
			cr_expect_str_eq(got, left);
			free(left);
		} else {
			cr_expect_null(got, "%s", body);
		}
		free(got);
		free(body);
	}
}

Test(inject, touches_nothing_where_the_client_asked)
{
	expect_body(ENDPOINT_CHAT, "{\"logprobs\":true}", NULL);
	expect_body(ENDPOINT_CHAT, "{\"logprobs\":true,\"top_logprobs\":2}", NULL);
	expect_body(ENDPOINT_CHAT, "{\"top_logprobs\":2}", NULL);
	expect_body(ENDPOINT_CHAT, "{\"logprobs\":null,\"logprobs\":true}", NULL);
	expect_body(ENDPOINT_COMPLETION, "{\"logprobs\":0}", NULL);
	expect_body(ENDPOINT_COMPLETION, "{\"logprobs\":3}", NULL);
	expect_body(ENDPOINT_CHAT, "{\"logprobs\":true,\"stream\":true," USAGE "}", NULL);
	expect_body(ENDPOINT_CHAT, "{\"logprobs\":true,\"stream\":true}",
	        "{\"logprobs\":true,\"stream\":true," USAGE "}");
}

Test(inject, asks_for_no_logprobs_where_engines_refuse_or_answer_otherwise)
{
	expect_body(ENDPOINT_CHAT, "{\"stream\":true,\"tools\":[{}]}",
	        "{\"stream\":true,\"tools\":[{}]," USAGE "}");
	expect_body(ENDPOINT_CHAT, "{\"tools\":[{}]}", "{\"tools\":[{}]," CHAT_LOGPROBS "}");
	expect_body(ENDPOINT_COMPLETION, "{\"echo\":true}", NULL);
	expect_body(ENDPOINT_COMPLETION, "{\"echo\":false}", "{\"echo\":false,\"logprobs\":5}");
}

Test(inject, asks_for_usage_only_where_one_choice_comes)
{
	struct injection injection;
	static const char *const several[] = {"{\"stream\":true,\"n\":2}",
	        "{\"stream\":true,\"prompt\":[\"a\",\"b\"]}",
	        "{\"stream\":true,\"prompt\":[[1],[2]]}"};
	for (size_t i = 0; i < ARRAY_LEN(several); i++) {
		cr_expect_null(injected(ENDPOINT_COMPLETION, several[i], false, true, &injection));
	}
	char *got = injected(
	        ENDPOINT_COMPLETION, "{\"stream\":true,\"prompt\":[1,2]}", false, true, &injection);
	cr_expect_not_null(got);
	free(got);
	cr_expect_null(injected(ENDPOINT_CHAT, "{\"stream\":false}", false, true, &injection));
}

Test(inject, leaves_alone_what_is_not_a_json_object)
{
	static const char *const bodies[] = {
	        "", "[]", "null", "{\"a\":1", "{\"a\":1}}", "{\"a\":1,}", "{a:1}", "x"};
	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		struct edits edits;
		expect_body(ENDPOINT_CHAT, bodies[i], NULL);
		cr_expect(!rewrite_request(span_of(bodies[i]), NULL, 0, &edits), "%s", bodies[i]);
	}
	expect_body(ENDPOINT_OTHER, "{}", NULL);
}

static char *rewritten(const char *body, const struct member_edit *members, size_t n)
{
	struct edits edits;
	struct buf out = {0};
	cr_assert(rewrite_request(span_of(body), members, n, &edits));
	edits_apply(edits.items, edits.n, span_of(body), &out);
	edits_finish(&edits);
	return buf_steal(&out);
}

Test(inject, rewriting_takes_members_with_one_comma)
{
	static const struct member_edit edits[] = {{"a", NULL}, {"model", "\"other\""}};
	static const char *const cases[][2] = {
	        {"{\"a\": 1, \"model\": \"m\"}", "{\"model\": \"other\"}"},
	        {"{\"model\": \"m\", \"a\": 1}", "{\"model\": \"other\"}"},
	        {"{\"x\": 0, \"a\": {}, \"model\": \"m\", \"y\": 1}",
	                "{\"x\": 0, \"model\": \"other\", \"y\": 1}"},
	        {"{\"a\": 1}", "{\"model\":\"other\"}"},
	        {"{\"a\":1,\"a\":2,\"x\":3,\"a\":4}", "{\"x\":3,\"model\":\"other\"}"},
	        {"{ \"model\" : 1 , \"a\" : 2 , \"model\" : 3 }",
	                "{ \"model\" : 1 , \"model\" : \"other\" }"},
	        {"{}", "{\"model\":\"other\"}"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *got = rewritten(cases[i][0], edits, ARRAY_LEN(edits));
		cr_expect_str_eq(got, cases[i][1]);
		free(got);
	}
}

Test(inject, of_several_edits_of_one_name_the_first_counts)
{
	static const struct member_edit edits[] = {
	        {"a", "1"}, {"a", NULL}, {"b", NULL}, {"b", "2"}, {"c", "1"}, {"c", "2"}};
	char *got = rewritten("{\"a\":0,\"b\":0}", edits, ARRAY_LEN(edits));
	cr_expect_str_eq(got, "{\"a\":1,\"c\":1}");
	free(got);
}

Test(edits, damaged_lists_are_applied_within_bounds)
{
	struct edit items[] = {{3, 2, SPAN("X")}, {4, 1, SPAN("overlaps")},
	        {100, 0, SPAN("beyond")}, {5, UINT64_MAX, SPAN("long")}, {10, 0, SPAN("!")},
	        {UINT64_MAX, 1, SPAN("far")}};
	struct buf out = {0};
	cr_expect_not(edits_apply(items, ARRAY_LEN(items), SPAN("0123456789"), &out));
	cr_expect_str_eq(buf_cstr(&out), "012X56789!");
	buf_finish(&out);
}

static uint64_t random_state = 3;

static size_t below(size_t n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (size_t)((random_state >> 33) % n);
}

static const char *pick(const char *const *list, size_t n)
{
	return list[below(n)];
}
#define PICK(...)                                                                                  \
	pick((const char *const[]){__VA_ARGS__}, ARRAY_LEN(((const char *const[]){__VA_ARGS__})))

static void put_space(struct buf *to)
{
	buf_append_str(to, PICK("", "", " ", "\n\t"));
}

static void random_body(struct buf *to)
{
	buf_clear(to);
	put_space(to);
	buf_append_char(to, '{');
	for (size_t n = below(8); n; n--) {
		put_space(to);
		const char *key = PICK("logprobs", "top_logprobs", "stream_options", "stream",
		        "echo", "model", "user", "a", "\\u0061", "n", "tools", "seed");
		buf_printf(to, "\"%s\"", key);
		put_space(to);
		buf_append_char(to, ':');
		put_space(to);
		buf_append_str(to,
		        PICK("null", "true", "false", "1", "\"x,}\"", "[1, {}]", "{}",
		                "{\"include_usage\": false}", "{\"include_usage\":null,\"b\":1}",
		                "{\"b\" : 2}", "{\"include_usage\":true}", "true"));
		put_space(to);
		buf_append_str(to, n > 1 ? "," : "");
	}
	put_space(to);
	buf_append_char(to, '}');
	put_space(to);
}

/* The same edits on the object itself. */
static void edit_object(json_t *object, const struct member_edit *edits, size_t n,
        const struct injection *injection, enum endpoint endpoint)
{
	for (size_t i = n; i-- > 0;) {
		if (edits[i].json) {
			json_object_set_new(object, edits[i].name,
			        json_loads(edits[i].json, JSON_DECODE_ANY, NULL));
		} else {
			json_object_del(object, edits[i].name);
		}
	}
	if (injection->logprobs && endpoint == ENDPOINT_CHAT) {
		json_object_set_new(object, "logprobs", json_true());
		json_object_set_new(object, "top_logprobs", json_integer(5));
	} else if (injection->logprobs) {
		json_object_set_new(object, "logprobs", json_integer(5));
	}
	if (injection->usage) {
		json_t *options = json_object_get(object, "stream_options");
		if (!json_is_object(options)) {
			options = json_object();
			json_object_set_new(object, "stream_options", options);
		}
		json_object_set_new(options, "include_usage", json_true());
	}
}

Test(inject, edits_of_any_body_give_the_object_that_they_describe)
{
	static const struct member_edit choices[] = {{"model", "\"m2\""}, {"a", NULL},
	        {"user", NULL}, {"seed", "7"}, {"logprobs", NULL}, {"stream_options", NULL},
	        {"new", "{\"k\": [1]}"}, {"model", NULL}, {"n", NULL}};
	struct buf body = {0}, out = {0};
	size_t n_logprobs = 0, n_usage = 0;
	for (int i = 0; i < 20000; i++) {
		struct member_edit edits[4];
		struct request_facts facts;
		struct injection injection = {0};
		struct edits list;
		size_t n = below(ARRAY_LEN(edits) + 1);
		for (size_t k = 0; k < n; k++) {
			edits[k] = choices[below(ARRAY_LEN(choices))];
		}
		enum endpoint endpoint = below(2) ? ENDPOINT_CHAT : ENDPOINT_COMPLETION;
		random_body(&body);
		request_read(endpoint, buf_span(&body), &facts);
		const struct injection want = {
		        .logprobs = below(2) == 1, .usage = below(2) == 1, .top = 5};
		const struct injectable r = {NULL, endpoint, &facts, buf_span(&body)};
		cr_assert(
		        inject_copy(&r, &want, edits, n, &list, &injection), "%s", buf_cstr(&body));
		for (size_t k = 1; k < list.n; k++) {
			cr_assert_geq(
			        list.items[k].at, list.items[k - 1].at + list.items[k - 1].removed);
		}
		buf_clear(&out);
		edits_apply(list.items, list.n, buf_span(&body), &out);
		edits_finish(&list);
		n_logprobs += injection.logprobs;
		n_usage += injection.usage;
		json_t *expected = json_loadb(body.data, body.len, 0, NULL);
		json_t *got = json_loadb(out.data, out.len, 0, NULL);
		cr_assert_not_null(expected, "%s", buf_cstr(&body));
		edit_object(expected, edits, n, &injection, endpoint);
		cr_assert_not_null(got, "%s became %s", buf_cstr(&body), buf_cstr(&out));
		cr_assert(
		        json_equal(got, expected), "%s became %s", buf_cstr(&body), buf_cstr(&out));
		json_decref(expected);
		json_decref(got);
	}
	cr_expect_gt(n_logprobs, 1000, "%zu", n_logprobs);
	cr_expect_gt(n_usage, 100, "%zu", n_usage);
	buf_finish(&body);
	buf_finish(&out);
}

/* What is added for one engine; the caller frees it. */
static char *asked_of(const char *engine, enum endpoint endpoint, const char *body, int top,
        bool copy, struct injection *ret)
{
	const struct dialect *d = dialect_find(engine);
	struct request_facts facts;
	struct edits edits = {0};
	struct buf out = {0};
	cr_assert(d != NULL, "%s", engine);
	request_read(endpoint, span_of(body), &facts);
	*ret = (struct injection){0};
	const struct injection want = {
	        .logprobs = true, .usage = true, .top = top, .token_ids = true};
	const struct injectable r = {d, endpoint, &facts, span_of(body)};
	if (copy) {
		cr_assert(inject_copy(&r, &want, NULL, 0, &edits, ret));
	} else if (!inject_request(&r, &want, &edits, ret)) {
		edits = (struct edits){0};
	}
	edits_apply(edits.items, edits.n, span_of(body), &out);
	edits_finish(&edits);
	return buf_steal(&out);
}

#define TOOLS "\"tools\":[{}]"
#define STREAM "\"stream\":true"
#define TOP(n) "\"logprobs\":true,\"top_logprobs\":" #n

Test(inject, each_engine_is_asked_in_its_own_words)
{
	static const struct {
		const char *engine;
		enum endpoint endpoint;
		bool copy;
		const char *body, *expected;
	} cases[] = {
	        {"vllm", ENDPOINT_CHAT, true, "{}", "{" TOP(20) ",\"return_token_ids\":true}"},
	        {"vllm", ENDPOINT_CHAT, true, "{" STREAM "," TOOLS "}",
	                "{" STREAM "," TOOLS "," TOP(20) ",\"return_token_ids\":true," USAGE "}"},
	        {"vllm", ENDPOINT_CHAT, false, "{}", "{" TOP(20) ",\"return_token_ids\":true}"},
	        {"vllm", ENDPOINT_CHAT, false, "{\"return_token_ids\":true}",
	                "{\"return_token_ids\":true," TOP(20) "}"},
	        {"sglang", ENDPOINT_CHAT, false, "{\"return_prompt_token_ids\":true}",
	                "{\"return_prompt_token_ids\":true," TOP(50) "}"},
	        {"sglang", ENDPOINT_CHAT, false, "{" STREAM "}",
	                "{" STREAM "," TOP(50) "," USAGE "}"},
	        {"lmdeploy", ENDPOINT_CHAT, false, "{}", "{" TOP(50) "}"},
	        {"sglang", ENDPOINT_CHAT, true, "{}", "{" TOP(50) ",\"return_token_ids\":true}"},
	        {"sglang", ENDPOINT_CHAT, true, "{" STREAM "}",
	                "{" STREAM "," TOP(50) "," USAGE "}"},
	        {"sglang", ENDPOINT_COMPLETION, true, "{" STREAM "}",
	                "{" STREAM ",\"logprobs\":50,\"return_token_ids\":true," USAGE "}"},
	        {"llama.cpp", ENDPOINT_CHAT, true, "{" STREAM "," TOOLS "}",
	                "{" STREAM "," TOOLS ",\"n_probs\":50," USAGE "}"},
	        {"llama.cpp", ENDPOINT_CHAT, false, "{" STREAM "," TOOLS "}",
	                "{" STREAM "," TOOLS "," USAGE "}"},
	        {"llama.cpp", ENDPOINT_CHAT, true, "{" TOOLS "}", "{" TOOLS "," TOP(50) "}"},
	        {"llama-cpp-python", ENDPOINT_CHAT, true, "{}", "{" TOP(50) "}"},
	        {"llama-cpp-python", ENDPOINT_CHAT, true, "{" STREAM "}", "{" STREAM "}"},
	        {"llama-cpp-python", ENDPOINT_COMPLETION, true, "{" STREAM "}", "{" STREAM "}"},
	        {"ollama", ENDPOINT_CHAT, true, "{}", "{" TOP(20) "}"},
	        {"ollama", ENDPOINT_CHAT, true, "{" TOOLS "}", "{" TOOLS "}"},
	        {"ollama", ENDPOINT_COMPLETION, true, "{}", "{}"},
	        {"transformers", ENDPOINT_CHAT, true, "{" STREAM "}", "{" STREAM "}"},
	        {"transformers", ENDPOINT_CHAT, false, "{" STREAM "}", "{" STREAM "}"},
	        {"mlx-lm", ENDPOINT_CHAT, true, "{}", "{" TOP(11) "}"},
	        {"mlx-lm", ENDPOINT_CHAT, true, "{" STREAM "}", "{" STREAM "," USAGE "}"},
	        {"mlx-lm", ENDPOINT_COMPLETION, false, "{}", "{" TOP(11) "}"},
	        {"vllm-mlx", ENDPOINT_CHAT, true, "{}", "{}"},
	        {"lm-studio", ENDPOINT_CHAT, true, "{}", "{}"},
	        {"lmdeploy", ENDPOINT_CHAT, true, "{}",
	                "{" TOP(50) ",\"return_token_ids\":true,\"return_logprob\":true}"},
	        {"lmdeploy", ENDPOINT_COMPLETION, true, "{" STREAM "}", "{" STREAM "," USAGE "}"},
	        {"tgi", ENDPOINT_CHAT, true, "{}", "{" TOP(5) "}"},
	        {"tgi", ENDPOINT_COMPLETION, true, "{}", "{}"},
	        {"tensorrt-llm", ENDPOINT_CHAT, true, "{}", "{" TOP(20) "}"},
	        {"tensorrt-llm", ENDPOINT_COMPLETION, true, "{}", "{}"},
	        {"openai", ENDPOINT_CHAT, true, "{\"model\":\"gpt-4o\"}",
	                "{\"model\":\"gpt-4o\"," TOP(20) "}"},
	        {"openai", ENDPOINT_CHAT, true, "{\"model\":\"o3-mini\"}",
	                "{\"model\":\"o3-mini\"}"},
	        {"openai", ENDPOINT_COMPLETION, true, "{}", "{\"logprobs\":5}"},
	        {"generic", ENDPOINT_CHAT, true, "{}", "{" TOP(50) "}"},
	        {"generic", ENDPOINT_CHAT, true, "{" STREAM "," TOOLS "}",
	                "{" STREAM "," TOOLS "," USAGE "}"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct injection injection;
		char *got = asked_of(cases[i].engine, cases[i].endpoint, cases[i].body, 50,
		        cases[i].copy, &injection);
		cr_expect_str_eq(got, cases[i].expected, "%s: %s became %s", cases[i].engine,
		        cases[i].body, got);
		bool asks = strstr(got, "logprobs") || strstr(got, "n_probs");
		cr_expect_eq(injection.logprobs, asks, "%s: %s", cases[i].engine, cases[i].body);
		bool ids = strstr(got, "\"return_token_ids\"") && !strstr(cases[i].body, "_ids");
		cr_expect_eq(injection.token_ids, ids, "%s: %s", cases[i].engine, cases[i].body);
		free(got);
	}
}

Test(inject, an_engine_is_asked_for_no_more_than_it_gives)
{
	struct injection injection;
	free(asked_of("tgi", ENDPOINT_CHAT, "{}", 20, true, &injection));
	cr_expect_eq(injection.top, 5);
	free(asked_of("tgi", ENDPOINT_CHAT, "{}", 3, true, &injection));
	cr_expect_eq(injection.top, 3);
}

Test(inject, words_that_the_client_used_itself_stay_its_own)
{
	static const char *const bodies[] = {"{\"n_probs\":3," STREAM "," TOOLS
	                                     ",\"stream_options\":{\"include_usage\":true}}",
	        "{\"logprobs\":true,\"return_token_ids\":true}"};
	struct injection injection;
	char *got = asked_of("llama.cpp", ENDPOINT_CHAT, bodies[0], 5, true, &injection);
	cr_expect_str_eq(got, bodies[0]);
	cr_expect(!injection.logprobs);
	free(got);
	got = asked_of("vllm", ENDPOINT_CHAT, bodies[1], 5, true, &injection);
	cr_expect_str_eq(got, bodies[1]);
	free(got);
	got = asked_of("vllm", ENDPOINT_CHAT, "{\"return_token_ids\":true}", 5, true, &injection);
	cr_expect_str_eq(got, "{\"return_token_ids\":true," CHAT_LOGPROBS "}");
	free(got);
	got = asked_of("vllm", ENDPOINT_CHAT, "{\"return_token_ids\":null}", 5, true, &injection);
	cr_expect_str_eq(got, "{\"return_token_ids\":true," CHAT_LOGPROBS "}");
	free(got);
}

Test(inject, the_model_that_the_copy_is_sent_to_decides)
{
	static const struct member_edit members[] = {{"model", "\"o3\""}};
	struct request_facts facts;
	struct edits edits;
	struct injection injection;
	struct span body = SPAN("{\"model\":\"gpt-4o\"}");
	request_read(ENDPOINT_CHAT, body, &facts);
	const struct injection want = {.logprobs = true, .usage = true, .top = 5};
	const struct injectable r = {dialect_find("openai"), ENDPOINT_CHAT, &facts, body};
	cr_assert(inject_copy(&r, &want, members, 1, &edits, &injection));
	cr_expect(!injection.logprobs);
	edits_finish(&edits);
}

/* Whether a copy of the completion asks for logprobs if its configuration edits `echo` so. */
static bool asks_with_echo(const char *body, const struct member_edit *echo)
{
	struct request_facts facts;
	struct edits edits;
	struct injection injection;
	request_read(ENDPOINT_COMPLETION, span_of(body), &facts);
	const struct injection want = {.logprobs = true, .top = 5};
	const struct injectable r = {
	        dialect_find("vllm"), ENDPOINT_COMPLETION, &facts, span_of(body)};
	cr_assert(inject_copy(&r, &want, echo, echo != NULL, &edits, &injection) ||
	          !injection.logprobs);
	edits_finish(&edits);
	return injection.logprobs;
}

Test(inject, echo_counts_as_it_is_sent)
{
	static const struct member_edit on = {"echo", "true"}, off = {"echo", "false"},
	                                null = {"echo", "null"}, removed = {"echo", NULL};
	const char *plain = "{\"prompt\":\"a\"}", *echo = "{\"prompt\":\"a\",\"echo\":true}";
	cr_expect(asks_with_echo(plain, NULL));
	cr_expect(asks_with_echo(plain, &off));
	cr_expect(asks_with_echo(plain, &null));
	cr_expect(asks_with_echo(plain, &removed));
	cr_expect_not(asks_with_echo(plain, &on));
	cr_expect_not(asks_with_echo(echo, NULL));
	cr_expect(asks_with_echo(echo, &off));
	cr_expect(asks_with_echo(echo, &removed));
}
