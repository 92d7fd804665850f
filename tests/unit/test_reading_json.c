#include "capture/reading_json.h"

#include <jansson.h>

#include "tests/unit/readings.h"

/* Returns the reading of this answer, written as JSON and parsed by jansson. */
static json_t *json_of(struct reading *r)
{
	struct buf b = {0};
	json_error_t why;
	reading_json_put(&(struct json_writer){.to = &b}, NULL, r);
	json_t *got = json_loads(buf_cstr(&b), JSON_REJECT_DUPLICATES, &why);
	cr_assert_not_null(got, "%s in %s", why.text, b.data);
	buf_finish(&b);
	reading_destroy(r);
	return got;
}

/* A member by keys and, for lists, numbers. */
static const json_t *at(const json_t *value, const char *path)
{
	while (*path) {
		size_t n = strcspn(path, ".");
		char key[32];
		cr_assert_lt(n, sizeof(key));
		memcpy(key, path, n);
		key[n] = '\0';
		value = json_is_array(value) ? json_array_get(value, strtoul(key, NULL, 10))
		                             : json_object_get(value, key);
		cr_assert_not_null(value, "no %s", path);
		path += n + (path[n] == '.');
	}
	return value;
}

static void expect_string(const json_t *got, const char *path, const char *want)
{
	const char *text = json_string_value(at(got, path));
	cr_assert_not_null(text, "%s", path);
	cr_expect_str_eq(text, want, "%s", path);
}

static void expect_integer(const json_t *got, const char *path, json_int_t want)
{
	cr_expect(json_is_integer(at(got, path)), "%s", path);
	cr_expect_eq(json_integer_value(at(got, path)), want, "%s", path);
}

static void expect_null(const json_t *got, const char *path)
{
	cr_expect(json_is_null(at(got, path)), "%s", path);
}

Test(reading_json, holds_all_that_was_read)
{
	json_t *got = json_of(read_body(
	        "{\"id\":\"chatcmpl-1\",\"model\":\"m\",\"system_fingerprint\":\"fp\",\"choices\":["
	        "{"
	        "\"index\":3,\"finish_reason\":\"stop\",\"message\":{\"content\":\"hi\","
	        "\"reasoning_content\":\"hm\",\"refusal\":\"no\",\"tool_calls\":[{\"id\":\"c\","
	        "\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}],\"usage\":{"
	        "\"prompt_tokens\":7,\"completion_tokens\":2,\"total_tokens\":9,"
	        "\"prompt_tokens_details\":{\"cached_tokens\":5}}}"));
	cr_expect_eq(json_array_size(at(got, "marks")), 0);
	expect_string(got, "shape", "openai");
	expect_string(got, "model", "m");
	expect_string(got, "response_id", "chatcmpl-1");
	expect_string(got, "fingerprint", "fp");
	expect_null(got, "error");
	expect_integer(got, "usage.prompt_tokens", 7);
	expect_integer(got, "usage.cached_tokens", 5);
	expect_null(got, "usage.reasoning_tokens");
	expect_integer(got, "n_events", 0);
	expect_integer(got, "choices.0.index", 3);
	expect_string(got, "choices.0.text", "hi");
	expect_string(got, "choices.0.reasoning", "hm");
	expect_string(got, "choices.0.reasoning_place", "field");
	expect_string(got, "choices.0.refusal", "no");
	expect_string(got, "choices.0.finish", "stop");
	expect_string(got, "choices.0.tool_calls.0.name", "f");
	expect_string(got, "choices.0.tool_calls.0.arguments", "{}");
	cr_expect(json_is_false(at(got, "choices.0.tool_calls.0.in_text")));
	expect_null(got, "choices.0.columns");
	expect_null(got, "choices.0.prompt");
	cr_expect_eq(json_array_size(at(got, "embeddings")), 0);
	json_decref(got);
}

Test(reading_json, columns_are_lists_side_by_side)
{
	json_t *got = json_of(read_body(
	        CHOICE("\"message\":{\"content\":\"\\ufffdb\"},\"logprobs\":{\"content\":[" ENTRY(
	                "\"\\ufffd\"",
	                "\"logprob\":-0.1,\"id\":4,\"bytes\":[255],\"top_logprobs\":[" ENTRY(
	                        "\"\\ufffd\"",
	                        "\"id\":4,\"logprob\":-0.1,\"bytes\":[255]") "," ENTRY("\"x\"",
	                        "\"id\":5,\"logprob\":-9999") "]") "," ENTRY("\"b\"",
	                "\"logprob\":null") "]}")));
	const json_t *c = at(got, "choices.0.columns");
	expect_string(c, "tokens.0.base64", "/w==");
	expect_string(c, "tokens.1", "b");
	expect_integer(c, "ids.0", 4);
	expect_integer(c, "ids.1", -1);
	cr_expect_eq((float)json_real_value(at(c, "lp.0")), -0.1F, "as exact as it was read");
	expect_null(c, "lp.1");
	cr_expect(json_integer_value(at(c, "flags.1")) & TOKEN_MISSING);
	cr_expect_eq(json_array_size(at(c, "top.0")), 2);
	expect_string(c, "top.0.0.0.base64", "/w==");
	expect_string(c, "top.0.1.0", "x");
	expect_integer(c, "top.0.1.1", 5);
	expect_null(c, "top.0.1.2");
	cr_expect_eq(json_array_size(at(c, "top.1")), 0);
	expect_string(got, "marks.0", "non_finite");
	json_decref(got);
}

Test(reading_json, thoughts_are_spans_of_the_text)
{
	json_t *got =
	        json_of(read_body(CHOICE("\"message\":{\"content\":\"<think>hm</think>a\"}")));
	expect_string(got, "choices.0.text", "<think>hm</think>a");
	expect_string(got, "choices.0.reasoning_place", "inline");
	cr_expect_eq(json_array_size(at(got, "choices.0.thoughts")), 1);
	json_decref(got);
}

Test(reading_json, an_embedding_shows_its_beginning)
{
	json_t *got = json_of(read_body("{\"object\":\"list\",\"data\":[{\"object\":\"embedding\","
	                                "\"index\":0,\"embedding\":[0.5,1,2,3,4,5,6,7,8,9]}]}"));
	expect_integer(got, "embeddings.0.n", 10);
	cr_expect_eq(json_array_size(at(got, "embeddings.0.head")), 8);
	cr_expect_eq(json_real_value(at(got, "embeddings.0.head.0")), 0.5);
	json_decref(got);
}

Test(reading_json, every_mark_and_every_place_has_a_word)
{
	struct reading r = {.marks = READING_POSITIVE_LOGPROBS * 2 - 1};
	struct buf b = {0};
	reading_json_put(&(struct json_writer){.to = &b}, NULL, &r);
	cr_expect_null(strstr(buf_cstr(&b), "bit_"), "%s", b.data);
	buf_finish(&b);
}
