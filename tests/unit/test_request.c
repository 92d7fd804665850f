#include "answers/request.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/mem.h"

static struct request_facts facts_of(enum endpoint endpoint, const char *body)
{
	struct request_facts f;
	request_read(endpoint, span_of(body), &f);
	return f;
}

static enum endpoint endpoint_for(const char *method, const char *target)
{
	return endpoint_of(span_of(method), span_of(target));
}

Test(request, endpoint_is_told_by_the_end_of_the_path)
{
	cr_assert_eq(endpoint_for("POST", "/v1/chat/completions"), ENDPOINT_CHAT);
	cr_assert_eq(endpoint_for("POST", "/chat/completions"), ENDPOINT_CHAT);
	cr_assert_eq(endpoint_for("POST", "/openai/deployments/d/chat/completions?api-version=1"),
	        ENDPOINT_CHAT);
	cr_assert_eq(endpoint_for("POST", "/v1/completions"), ENDPOINT_COMPLETION);
	cr_assert_eq(endpoint_for("POST", "/v1/completions/"), ENDPOINT_OTHER);
	cr_assert_eq(endpoint_for("POST", "/v1/mycompletions"), ENDPOINT_OTHER);
	cr_assert_eq(endpoint_for("POST", "/v1/x?next=/completions"), ENDPOINT_OTHER);
	cr_assert_eq(endpoint_for("GET", "/v1/completions"), ENDPOINT_OTHER);
	cr_assert_eq(endpoint_for("", ""), ENDPOINT_OTHER);
	cr_assert_str_eq(endpoint_name(ENDPOINT_CHAT), "chat");
}

Test(request, facts_of_a_full_chat_request)
{
	struct request_facts f =
	        facts_of(ENDPOINT_CHAT, "{\"mod\\u0065l\":\"prod\\u002dmodel\",\"messages\":[{"
	                                "\"role\":\"user\",\"content\":\"x\"},{}],"
	                                "\"stream\":true,\"logprobs\":true,\"top_logprobs\":5,"
	                                "\"stream_options\":{\"include_usage\":true},"
	                                "\"tools\":[{}],\"temperature\":0.5,\"top_p\":1,\"top_k\":"
	                                "40,\"min_p\":0.1,\"presence_penalty\":-1,"
	                                "\"frequency_penalty\":2e0,\"repeat_penalty\":1.1,\"seed\":"
	                                "7,\"n\":2,\"max_tokens\":5,"
	                                "\"max_completion_tokens\":6}");
	cr_assert(f.is_json && f.stream && f.has_logprobs && f.has_stream_options &&
	          f.include_usage && f.has_tools);
	cr_assert_str_eq(f.model, "prod-model");
	cr_assert_eq(f.top_logprobs, 5);
	cr_assert_eq(f.n_messages, 2);
	cr_assert(f.temperature == 0.5 && f.top_p == 1 && f.top_k == 40 && f.min_p == 0.1);
	cr_assert(f.presence_penalty == -1 && f.frequency_penalty == 2 &&
	          f.repetition_penalty == 1.1);
	cr_assert(f.has_seed && f.seed == 7);
	cr_assert_eq(f.n, 2);
	cr_assert_eq(f.max_tokens, 6);
	cr_assert_not(f.stateful);
}

Test(request, what_is_not_set_says_so)
{
	struct request_facts f = facts_of(ENDPOINT_CHAT,
	        "{\"logprobs\":null,\"top_logprobs\":null,\"temperature\":null,\"seed\":null,\"n\":"
	        "null,"
	        "\"tools\":[],\"stream\":\"true\",\"max_tokens\":null,\"store\":false}");
	cr_assert(f.is_json);
	cr_assert(!f.has_logprobs && !f.has_seed && !f.has_tools && !f.stream && !f.stateful);
	cr_assert(isnan(f.temperature) && isnan(f.top_p) && isnan(f.repetition_penalty));
	cr_assert_eq(f.n, 1);
	cr_assert_eq(f.top_logprobs, -1);
	cr_assert_eq(f.max_tokens, -1);
	cr_assert_str_empty(f.model);
}

Test(request, the_last_of_duplicate_members_counts)
{
	struct request_facts f = facts_of(ENDPOINT_CHAT,
	        "{\"model\":\"a\",\"stream\":true,\"temperature\":1,\"logprobs\":true,"
	        "\"stream_options\":{\"include_usage\":true},\"model\":\"b\",\"stream\":false,"
	        "\"temperature\":null,\"logprobs\":false,\"stream_options\":null,\"messages\":[1],"
	        "\"messages\":7}");
	cr_assert_str_eq(f.model, "b");
	cr_assert(!f.stream && !f.has_logprobs && f.has_stream_options && !f.include_usage);
	cr_assert(isnan(f.temperature));
	cr_assert_eq(f.n_messages, 0);
}

Test(request, a_repetition_penalty_is_read_under_each_of_its_names)
{
	for (enum penalty_name p = 0; p < N_PENALTY_NAMES; p++) {
		char *body = xasprintf("{\"%s\":1.2}", PENALTY_NAMES[p]);
		struct request_facts f = facts_of(ENDPOINT_CHAT, body);
		cr_expect_eq(f.repetition_penalty, 1.2, "%s", body);
		cr_expect_eq(f.penalty_names, 1u << p, "%s", body);
		cr_expect_eq(f.penalties[p], 1.2, "%s", body);
		cr_expect_eq(penalty_name_of(PENALTY_NAMES[p]), p);
		free(body);
	}
	cr_expect_eq(penalty_name_of("presence_penalty"), N_PENALTY_NAMES);
	struct request_facts f = facts_of(ENDPOINT_CHAT,
	        "{\"rep_pen\":1.3,\"repeat_penalty\":1.1,\"repetition_penalty\":null}");
	cr_expect_eq(f.repetition_penalty, 1.1, "that of the first name that is set");
	cr_expect(f.penalties[PENALTY_REPEAT] == 1.1 && f.penalties[PENALTY_REP_PEN] == 1.3);
}

Test(request, a_completion_asks_for_logprobs_with_a_number)
{
	struct request_facts f = facts_of(ENDPOINT_COMPLETION, "{\"prompt\":\"x\",\"logprobs\":0}");
	cr_assert(f.has_logprobs);
	cr_assert_eq(f.top_logprobs, 0);
	f = facts_of(
	        ENDPOINT_COMPLETION, "{\"prompt\":\"x\",\"logprobs\":true,\"top_logprobs\":3}");
	cr_assert_eq(f.top_logprobs, 3);
	f = facts_of(ENDPOINT_COMPLETION, "{\"prompt\":\"x\",\"n_probs\":4}");
	cr_assert(f.has_logprobs);
}

Test(request, other_endpoints_tell_model_and_stream_only)
{
	struct request_facts f = facts_of(ENDPOINT_OTHER,
	        "{\"model\":\"m\",\"stream\":true,\"temperature\":1,\"store\":true}");
	cr_assert(f.is_json && f.stream && !f.stateful && isnan(f.temperature));
	cr_assert_str_eq(f.model, "m");
}

Test(request, state_is_seen)
{
	cr_assert(facts_of(ENDPOINT_CHAT, "{\"store\":true}").stateful);
	cr_assert(facts_of(ENDPOINT_CHAT, "{\"background\":true}").stateful);
	cr_assert(facts_of(ENDPOINT_CHAT, "{\"previous_response_id\":\"r\"}").stateful);
}

Test(request, seeds_of_64_bits_keep_their_bits)
{
	cr_assert_eq((uint64_t)facts_of(ENDPOINT_CHAT, "{\"seed\":18446744073709551615}").seed,
	        UINT64_MAX);
	cr_assert_eq(facts_of(ENDPOINT_CHAT, "{\"seed\":-1}").seed, -1);
	cr_assert_not(facts_of(ENDPOINT_CHAT, "{\"seed\":18446744073709551616}").has_seed);
	cr_assert_not(facts_of(ENDPOINT_CHAT, "{\"seed\":1.5}").has_seed);
}

Test(request, a_long_model_is_cut_between_characters)
{
	struct buf b = {0};
	buf_append_str(&b, "{\"model\":\"x");
	for (int i = 0; i < 200; i++) {
		buf_append_str(&b, "é");
	}
	buf_append_str(&b, "\"}");
	struct request_facts f = facts_of(ENDPOINT_CHAT, buf_cstr(&b));
	cr_assert_eq(strlen(f.model), 255);
	cr_assert_eq((unsigned char)f.model[254], 0xa9);
	buf_finish(&b);
}

/* Only in this case is it known which model the engine uses. */
Test(request, a_model_is_whole_if_it_is_one_text_that_was_not_cut)
{
	static const char *const not_whole[] = {"{}", "{\"model\":null}", "{\"model\":\"\"}",
	        "{\"model\":[\"m\"]}", "{\"model\":{\"model\":\"m\"}}", "{\"model\":7}",
	        "{\"model\":\"m\\u0000n\"}", "{\"model\":\"m\",\"model\":\"n\"}",
	        "{\"model\":[\"m\"],\"model\":\"n\"}", "{\"model\":\"m\",\"model\":null}",
	        "{\"options\":{\"model\":\"m\"}}", "{\"model\":\"m\""};
	for (size_t i = 0; i < ARRAY_LEN(not_whole); i++) {
		cr_expect_not(
		        facts_of(ENDPOINT_CHAT, not_whole[i]).model_is_whole, "%s", not_whole[i]);
	}
	cr_expect(facts_of(ENDPOINT_CHAT, "{\"model\":\"m\"}").model_is_whole);
	cr_expect(facts_of(ENDPOINT_OTHER, "{\"mod\\u0065l\":\"\\u006d\"}").model_is_whole);
	for (int n = 254; n < 258; n++) {
		char *body = xasprintf("{\"model\":\"%0*d\"}", n, 0);
		cr_expect_eq(facts_of(ENDPOINT_CHAT, body).model_is_whole, n < 256, "%d", n);
		free(body);
	}
}

Test(request, what_is_not_one_object_is_not_json)
{
	static const char *const bad[] = {
	        "", "[]", "1", "{", "{}x", "{\"a\":}", "{\"a\":1,}", "not", "{\"model\":\"x\""};
	uint8_t key[32] = {0};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct request_hashes h;
		struct request_facts f = facts_of(ENDPOINT_CHAT, bad[i]);
		cr_assert_not(f.is_json, "%s", bad[i]);
		cr_assert_str_empty(f.model, "%s", bad[i]);
		cr_assert_not(request_hash(ENDPOINT_CHAT, span_of(bad[i]), key, &h), "%s", bad[i]);
	}
}

static const uint8_t zero[REQUEST_HASH_SIZE];

static void hash_of(enum endpoint endpoint, const char *body, struct request_hashes *h)
{
	uint8_t key[32];
	for (uint8_t i = 0; i < sizeof(key); i++) {
		key[i] = i;
	}
	cr_assert(request_hash(endpoint, span_of(body), key, h), "%s", body);
}

static bool same_hash(const uint8_t *a, const uint8_t *b)
{
	return memcmp(a, b, REQUEST_HASH_SIZE) == 0;
}

static void assert_hex(const uint8_t *hash, const char *hex)
{
	char got[2 * REQUEST_HASH_SIZE + 1];
	for (size_t i = 0; i < REQUEST_HASH_SIZE; i++) {
		snprintf(got + 2 * i, 3, "%02x", hash[i]);
	}
	cr_assert_str_eq(got, hex);
}

/* The values are from Python's hashlib.blake2b, over the canonical form written by hand. */
Test(request, hashes_are_those_that_another_program_makes)
{
	struct request_hashes h;
	hash_of(ENDPOINT_CHAT,
	        "{\"response_format\":{\"type\":\"text\"},\"tools\":[],\"model\":\"m\","
	        "\"messages\":["
	        "{\"role\":\"system\",\"content\":\"Be \\\"brief\\\".\\n\"},"
	        "{\"role\":\"user\",\"content\":\"Zwei \\u00E9 "
	        "\\ud83d\\ude00\",\"x\":0.50,\"n\":1.0}],"
	        "\"tool_choice\":null,\"temperature\":0}",
	        &h);
	assert_hex(h.prompt, "77592ed6b17951dc090291a395efced6");
	assert_hex(h.chain, "dd779d91f5f27ab472f5711873f5b74f");
	cr_assert(same_hash(h.session, h.chain));
	cr_assert(same_hash(h.parent, zero));
	hash_of(ENDPOINT_COMPLETION, "{\"prompt\":[1,2, 3e0]}", &h);
	assert_hex(h.prompt, "1d2b2eb25d303121ca13735b15376824");
	cr_assert(same_hash(h.chain, zero));
}

Test(request, spelling_does_not_change_the_hash)
{
	static const char *const same[] = {
	        "{\"messages\":[{\"role\":\"user\",\"content\":\"a/"
	        "\\u00e9\\n\",\"k\":{\"b\":1,\"a\":[1,{\"z\":0,\"y\":10}]}}]}",
	        " {\n\"messages\" : [ { \"content\" :\"a\\/é\\u000a\" "
	        ",\"k\":{\"a\":[1.0,{\"y\":1e1,\"z\":-0.0}],\"b\":10e-1},"
	        "\"role\":\"\\u0075ser\"} ] } ",
	        "{\"messages\":[],\"model\":\"m\",\"temperature\":1,\"seed\":3,\"stream\":true,"
	        "\"user\":\"u\",\"max_tokens\":1,"
	        "\"messages\":[{\"k\":7,\"content\":\"\",\"content\":\"a\\u002fé\\n\",\"role\":"
	        "\"system\",\"role\":\"user\","
	        "\"k\":{\"\\u0061\":[1,{\"y\":10,\"z\":0}],\"b\":1}}],\"tools\":null}",
	};
	struct request_hashes first, h;
	hash_of(ENDPOINT_CHAT, same[0], &first);
	for (size_t i = 1; i < ARRAY_LEN(same); i++) {
		hash_of(ENDPOINT_CHAT, same[i], &h);
		cr_assert_eq(memcmp(&h, &first, sizeof(h)), 0, "%zu", i);
	}
}

Test(request, content_changes_the_hash)
{
	static const char *const unlike[] = {
	        "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}",
	        "{\"messages\":[{\"role\":\"user\",\"content\":\"a \"}]}",
	        "{\"messages\":[{\"role\":\"system\",\"content\":\"a\"}]}",
	        "{\"messages\":[{\"role\":\"user\",\"content\":[\"a\"]}]}",
	        "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}],\"tools\":[]}",
	        "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}],\"tool_choice\":\"auto\"}",
	        "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}],\"response_format\":{\"n\":"
	        "1}}",
	        "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}],\"response_format\":{\"n\":"
	        "1.5}}",
	        "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}],\"response_format\":{\"n\":"
	        "\"1\"}}",
	        "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"user\","
	        "\"content\":\"a\"}]}",
	        "{\"messages\":[[{\"role\":\"user\",\"content\":\"a\"}]]}",
	        "{\"messages\":{\"role\":\"user\",\"content\":\"a\"}}",
	};
	struct request_hashes h[ARRAY_LEN(unlike)];
	for (size_t i = 0; i < ARRAY_LEN(unlike); i++) {
		hash_of(ENDPOINT_CHAT, unlike[i], &h[i]);
		for (size_t k = 0; k < i; k++) {
			cr_assert_not(same_hash(h[i].prompt, h[k].prompt), "%zu and %zu", i, k);
		}
	}
}

#define SYSTEM "{\"role\":\"system\",\"content\":\"s\"}"
#define USER(n) "{\"role\":\"user\",\"content\":\"u" #n "\"}"
#define ASSISTANT(n) "{\"role\":\"assistant\",\"content\":\"a" #n "\"}"

Test(request, a_turn_names_the_turn_before_as_its_parent)
{
	struct request_hashes one, two, three, other;
	hash_of(ENDPOINT_CHAT, "{\"messages\":[" SYSTEM "," USER(1) "]}", &one);
	hash_of(ENDPOINT_CHAT,
	        "{\"messages\":[" SYSTEM
	        "," USER(1) "," ASSISTANT(1) "," USER(2) "],\"tools\":[1]}",
	        &two);
	hash_of(ENDPOINT_CHAT,
	        "{\"messages\":[" SYSTEM "," USER(1) "," ASSISTANT(1) "," USER(2) "," ASSISTANT(
	                2) ","
	                   "{\"role\":\"tool\",\"content\":\"t\"}," USER(3) "]}",
	        &three);
	hash_of(ENDPOINT_CHAT, "{\"messages\":[" SYSTEM "," USER(9) "]}", &other);
	cr_assert(same_hash(one.parent, zero));
	cr_assert(same_hash(two.parent, one.chain));
	cr_assert(same_hash(three.parent, two.chain));
	cr_assert(same_hash(two.session, one.session) && same_hash(three.session, one.session));
	cr_assert_not(same_hash(other.session, one.session));
	cr_assert_not(same_hash(one.session, zero));
}

Test(request, an_answer_begun_by_the_client_is_part_of_the_prompt)
{
	struct request_hashes one, two, begun;
	hash_of(ENDPOINT_CHAT, "{\"messages\":[" USER(1) "]}", &one);
	hash_of(ENDPOINT_CHAT,
	        "{\"messages\":[" USER(1) "," ASSISTANT(1) "," USER(2) "," ASSISTANT(2) "]}",
	        &begun);
	hash_of(ENDPOINT_CHAT,
	        "{\"messages\":[" USER(1) "," ASSISTANT(1) "," ASSISTANT(2) "," USER(2) "]}", &two);
	cr_assert(same_hash(begun.parent, one.chain));
	cr_assert(same_hash(two.parent, one.chain));
	hash_of(ENDPOINT_CHAT, "{\"messages\":[" USER(1) "," ASSISTANT(1) "]}", &begun);
	cr_assert(same_hash(begun.parent, zero));
}

Test(request, keys_make_hashes_of_their_own)
{
	uint8_t a[32] = {1}, b[32] = {2};
	struct request_hashes x, y;
	struct span body = span_of("{\"messages\":[" USER(1) "]}");
	cr_assert(request_hash(ENDPOINT_CHAT, body, a, &x));
	cr_assert(request_hash(ENDPOINT_CHAT, body, b, &y));
	cr_assert_not(same_hash(x.prompt, y.prompt) || same_hash(x.session, y.session));
}

Test(request, a_request_without_a_prompt_has_no_hashes)
{
	struct request_hashes h;
	hash_of(ENDPOINT_CHAT, "{\"prompt\":\"x\",\"tools\":[]}", &h);
	cr_assert(same_hash(h.prompt, zero) && same_hash(h.chain, zero));
	hash_of(ENDPOINT_CHAT, "{\"messages\":[]}", &h);
	cr_assert(same_hash(h.session, zero) && !same_hash(h.prompt, zero));
}

Test(request, deep_and_unsorted_bodies_take_linear_time)
{
	struct buf b = {0};
	struct request_hashes h;
	buf_append_str(&b, "{\"messages\":[");
	for (int i = 0; i < 2000; i++) {
		buf_append_str(&b, i ? "," : "");
		for (int k = 0; k < 100; k++) {
			buf_append_str(&b, "{\"z\":1,\"a\":");
		}
		buf_append_str(&b, "0");
		for (int k = 0; k < 100; k++) {
			buf_append_str(&b, "}");
		}
	}
	buf_append_str(&b, "]}");
	hash_of(ENDPOINT_CHAT, buf_cstr(&b), &h);
	cr_assert_not(same_hash(h.prompt, zero));
	buf_finish(&b);
}

Test(request, the_options_of_native_routes_are_read)
{
	struct request_facts f = facts_of(ENDPOINT_NATIVE_CHAT,
	        "{\"model\":\"m\",\"messages\":[{}],\"options\":{\"temperature\":0,\"top_k\":1,"
	        "\"repeat_penalty\":1.1,\"num_predict\":7,\"seed\":3},\"logprobs\":true}");
	cr_assert(f.temperature == 0 && f.top_k == 1 && f.repetition_penalty == 1.1);
	cr_assert(f.max_tokens == 7 && f.has_seed && f.seed == 3 && f.has_logprobs);
	cr_assert(f.stream, "Ollama streams unless told not to");
	cr_assert_not(facts_of(ENDPOINT_NATIVE_CHAT, "{\"stream\":false}").stream);
	f = facts_of(ENDPOINT_NATIVE_GENERATE,
	        "{\"text\":\"x\",\"sampling_params\":{\"max_new_tokens\":4,\"temperature\":0.5},"
	        "\"return_logprob\":true,\"top_logprobs_num\":5}");
	cr_assert(f.max_tokens == 4 && f.temperature == 0.5 && f.has_logprobs);
	cr_assert_eq(f.top_logprobs, 5);
	f = facts_of(ENDPOINT_NATIVE_GENERATE,
	        "{\"inputs\":\"x\",\"parameters\":{\"do_sample\":false,\"details\":true,"
	        "\"top_n_tokens\":2,\"max_new_tokens\":9}}");
	cr_assert(f.temperature == 0 && f.has_logprobs && f.top_logprobs == 2 && f.max_tokens == 9);
	f = facts_of(ENDPOINT_NATIVE_GENERATE, "{\"prompt\":\"x\",\"n_predict\":3,\"n_probs\":4}");
	cr_assert(f.max_tokens == 3 && f.has_logprobs && f.top_logprobs == 4);
	cr_assert_not(f.stream);
	/* In other requests these names have no meaning. */
	f = facts_of(ENDPOINT_CHAT, "{\"options\":{\"temperature\":0},\"num_predict\":3}");
	cr_assert(isnan(f.temperature) && f.max_tokens == -1);
}

Test(request, facts_of_a_responses_request)
{
	struct request_facts f = facts_of(ENDPOINT_RESPONSES,
	        "{\"input\":[{},{}],\"max_output_tokens\":8,\"temperature\":0,\"tools\":[{}],"
	        "\"include\":[\"x\",\"message.output_text.logprobs\"]}");
	cr_assert(f.max_tokens == 8 && f.temperature == 0 && f.has_tools && f.n_messages == 2);
	cr_assert(f.has_logprobs && !f.stateful);
	cr_assert(facts_of(ENDPOINT_RESPONSES, "{\"conversation\":\"c\"}").stateful);
	cr_assert_not(facts_of(ENDPOINT_RESPONSES, "{\"include\":[\"x\"]}").has_logprobs);
}

static bool same_prompt(enum endpoint endpoint, const char *a, const char *b)
{
	static const uint8_t key[32];
	struct request_hashes x, y;
	cr_assert(request_hash(endpoint, span_of(a), key, &x));
	cr_assert(request_hash(endpoint, span_of(b), key, &y));
	cr_assert_neq(memcmp(x.prompt, zero, sizeof(zero)), 0, "%s", a);
	return memcmp(x.prompt, y.prompt, sizeof(x.prompt)) == 0;
}

Test(request, prompts_of_every_endpoint_have_a_hash)
{
	cr_assert(same_prompt(ENDPOINT_RESPONSES, "{\"input\":\"a\",\"temperature\":0}",
	        "{\"temperature\":1,\"input\":\"a\"}"));
	cr_assert_not(same_prompt(ENDPOINT_RESPONSES, "{\"input\":\"a\"}",
	        "{\"input\":\"a\",\"instructions\":\"b\"}"));
	cr_assert_not(same_prompt(ENDPOINT_EMBEDDING, "{\"input\":\"a\"}", "{\"input\":\"b\"}"));
	cr_assert_not(same_prompt(ENDPOINT_NATIVE_CHAT, "{\"messages\":[{\"role\":\"user\"}]}",
	        "{\"messages\":[{\"role\":\"system\"}]}"));
	static const char *const names[] = {"prompt", "inputs", "text", "input_ids"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char a[64], b[64];
		snprintf(a, sizeof(a), "{\"%s\":\"a\",\"options\":{}}", names[i]);
		snprintf(b, sizeof(b), "{\"%s\":\"a\"}", names[i]);
		cr_assert(same_prompt(ENDPOINT_NATIVE_GENERATE, a, b));
	}
	static const uint8_t key[32];
	struct request_hashes h;
	cr_assert(request_hash(ENDPOINT_NATIVE_GENERATE, SPAN("{\"system\":\"a\"}"), key, &h));
	cr_assert_eq(memcmp(h.prompt, zero, sizeof(zero)), 0);
	cr_assert_not(request_hash(ENDPOINT_MESSAGES, SPAN("{\"messages\":[]}"), key, &h));
}

/* Returns the maximum of bytes that one body made this process allocate; each test is a separate
 * process. */
static size_t taken_by(struct span body)
{
	struct rusage before, after;
	uint8_t key[32] = {0};
	struct request_hashes h;
	cr_assert_eq(getrusage(RUSAGE_SELF, &before), 0);
	cr_assert(request_hash(ENDPOINT_CHAT, body, key, &h));
	cr_assert_eq(getrusage(RUSAGE_SELF, &after), 0);
	return (size_t)(after.ru_maxrss - before.ru_maxrss) << 10;
}

static void hash_takes_no_more_than_told(const char *begin, const char *item, const char *end)
{
	struct buf body = {0};
	buf_append_span(&body, span_of(begin));
	while (body.len < 4 << 20) {
		buf_append_span(&body, span_of(item));
	}
	buf_append_span(&body, span_of(end));
	size_t taken = taken_by(buf_span(&body));
#ifndef __SANITIZE_ADDRESS__ /* ASan does not return freed memory */
	cr_expect_leq(taken, request_hash_room(buf_span(&body)), "%s: %zu", item, taken);
#endif
	cr_expect_geq(taken, body.len / 2, "%s: that much it must be", item);
	buf_finish(&body);
}

Test(request, hashing_many_small_members_takes_no_more_than_told)
{
	hash_takes_no_more_than_told("{\"messages\":[{\"z\":0", ",\"\":1", "}]}");
}

Test(request, hashing_numbers_that_grow_takes_no_more_than_told)
{
	hash_takes_no_more_than_told("{\"messages\":[{\"z\":[1", ",1e20", "],\"a\":1}]}");
}

Test(request, hashing_one_long_string_takes_no_more_than_told)
{
	hash_takes_no_more_than_told("{\"messages\":[{\"z\":\"", "\\u00e9ab", "\",\"a\":1}]}");
}

Test(request, names_the_functions_that_are_offered)
{
	static const struct {
		enum endpoint endpoint;
		const char *body;
	} requests[] = {
	        {ENDPOINT_CHAT, "{\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\","
	                        "\"parameters\":{\"name\":\"x\"}}},{\"type\":\"custom\","
	                        "\"custom\":{\"name\":\"\\u0067\"}}]}"},
	        {ENDPOINT_RESPONSES, "{\"tools\":[{\"type\":\"function\",\"name\":\"f\","
	                             "\"parameters\":{}},{\"type\":\"custom\",\"name\":\"g\"}]}"},
	        {ENDPOINT_MESSAGES, "{\"tools\":[{\"name\":\"f\",\"input_schema\":{}},"
	                            "{\"name\":\"g\"}]}"},
	        {ENDPOINT_RESPONSES, "{\"tools\":[{\"type\":\"namespace\",\"name\":\"g\",\"tools\":"
	                             "[{\"type\":\"function\",\"name\":\"f\"}]}]}"},
	};
	for (size_t i = 0; i < ARRAY_LEN(requests); i++) {
		struct request_facts f;
		request_read(requests[i].endpoint, span_of(requests[i].body), &f);
		cr_expect(f.has_tools, "%s", requests[i].body);
		cr_expect(offered_has(&f.offered, SPAN("f")), "%s", requests[i].body);
		cr_expect(offered_has(&f.offered, SPAN("g")), "%s", requests[i].body);
		cr_expect_not(offered_has(&f.offered, SPAN("x")), "%s", requests[i].body);
		cr_expect_eq(f.offered.n, 2);
	}
}

Test(request, of_too_many_functions_knows_no_names)
{
	struct buf b = {0};
	struct request_facts f;
	buf_append_str(&b, "{\"tools\":[");
	for (int i = 0; i <= OFFERED_LIMIT; i++) {
		buf_printf(&b, "%s{\"name\":\"f%d\"}", i ? "," : "", i);
	}
	buf_append_str(&b, "]}");
	request_read(ENDPOINT_CHAT, buf_span(&b), &f);
	cr_assert(f.has_tools);
	cr_assert_eq(f.offered.n, 0);
	buf_finish(&b);
}
