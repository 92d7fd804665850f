#include "backends/scoring/score_request.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/scoring/score_match.h"
#include "base/mem.h"

static struct reading *read_body(struct span body)
{
	const struct reading_hints hints = {
	        .endpoint = ENDPOINT_COMPLETION, .status = 200, .framing = FRAMING_UNARY};
	struct reader *r = reader_create(&hints);
	reader_feed(r, body.data, body.len);
	return reader_end(r, true);
}

static struct reading *read_text(const char *body)
{
	return read_body(span_of(body));
}

/* Returns the body of a recorded answer without chunk framing. */
static struct buf golden(const char *name)
{
	struct buf all = {0};
	char *path = xasprintf("%s/%s", getenv("GOLDEN_DIR"), name);
	FILE *f = fopen(path, "rb");
	cr_assert_not_null(f, "%s", path);
	size_t n;
	while ((n = fread(buf_reserve(&all, 65536), 1, 65536, f)) > 0) {
		all.len += n;
	}
	fclose(f);
	free(path);
	const char *body = memmem(all.data, all.len, "\r\n\r\n", 4);
	cr_assert_not_null(body);
	buf_consume(&all, (size_t)(body + 4 - all.data));
	return all;
}

static struct reading *read_golden(const char *name)
{
	struct buf body = golden(name);
	struct reading *r = read_body(buf_span(&body));
	buf_finish(&body);
	return r;
}

static struct score_text texts(const char *prompt, const char *answer)
{
	struct score_text t = {0};
	buf_append_str(&t.prompt, prompt);
	buf_append_str(&t.answer, answer);
	return t;
}

static void add_ids(struct score_ids *to, const char *json)
{
	cr_assert(score_ids_read(span_of(json), to));
}

/* NULL: located. */
static const char *locate(const struct reading *r, const char *prompt, const char *answer,
        bool shifts, struct score_place *ret)
{
	struct score_text sent = texts(prompt, answer);
	const char *why = score_locate(&sent, r, shifts, ret);
	score_text_finish(&sent);
	return why;
}

static float lp_at(const struct score_place *p, uint32_t i)
{
	return p->columns->lp[p->at + i];
}

Test(score, ids_are_read_and_written_and_nothing_else_is_taken_for_them)
{
	struct score_ids ids = {0};
	struct buf text = {0};
	add_ids(&ids, " [1, 22,333] ");
	score_ids_put(&ids, &text);
	cr_assert_str_eq(buf_cstr(&text), "[1,22,333]");
	static const char *const BAD[] = {
	        "[1,-2]", "[1.5]", "[\"1\"]", "{}", "", "[1", "null", "[4294967296]"};
	for (size_t i = 0; i < ARRAY_LEN(BAD); i++) {
		cr_assert_not(score_ids_read(span_of(BAD[i]), &ids), "%s", BAD[i]);
		cr_assert_eq(ids.n, 0);
	}
	buf_finish(&text);
	score_ids_finish(&ids);
}

static void expect_request(
        const struct score_ask *settings, const struct score_text *t, const char *want)
{
	struct buf text = {0};
	score_request(settings, t, &text);
	cr_assert_str_eq(buf_cstr(&text), want);
	buf_finish(&text);
}

Test(score, each_way_of_scoring_is_asked_in_its_own_words)
{
	struct score_text t = texts("A \"q\"", " b");
	add_ids(&t.prompt_ids, "[2,7]");
	add_ids(&t.answer_ids, "[9]");
	struct score_ask settings = {SCORING_PROMPT_LOGPROBS, "m", 5};
	expect_request(&settings, &t,
	        "{\"model\":\"m\",\"prompt\":\"A \\\"q\\\" b\",\"max_tokens\":1,\"temperature\":0,"
	        "\"stream\":false,\"prompt_logprobs\":5}");
	t.by_ids = true;
	expect_request(&settings, &t,
	        "{\"model\":\"m\",\"prompt\":[2,7,9],\"max_tokens\":1,\"temperature\":0,"
	        "\"stream\":false,\"prompt_logprobs\":5,\"add_special_tokens\":false}");
	settings = (struct score_ask){SCORING_ECHO, NULL, 3};
	expect_request(&settings, &t,
	        "{\"prompt\":[2,7,9],\"max_tokens\":1,\"temperature\":0,\"stream\":false,"
	        "\"echo\":true,\"logprobs\":3}");
	settings.scoring = SCORING_SGLANG;
	expect_request(&settings, &t,
	        "{\"input_ids\":[2,7,9],\"sampling_params\":{\"max_new_tokens\":1,\"temperature\":"
	        "0},"
	        "\"return_logprob\":true,\"logprob_start_len\":0,\"top_logprobs_num\":3,"
	        "\"return_text_in_logprobs\":true,\"stream\":false}");
	settings.scoring = SCORING_TGI;
	expect_request(&settings, &t,
	        "{\"inputs\":\"A \\\"q\\\" "
	        "b\",\"parameters\":{\"max_new_tokens\":1,\"details\":true,"
	        "\"decoder_input_details\":true}}");
	score_text_finish(&t);
}

Test(score, an_echo_of_llama_cpp_python_is_located_and_its_own_token_left_out)
{
	struct reading *r = read_golden("llama-cpp-python-0.3.36/completion-echo.response");
	struct score_place p;
	const char *why = locate(r, "The capital of", " France is", true, &p);
	cr_assert_null(why, "%s", why);
	cr_assert_eq(p.at, 3);
	cr_assert_eq(p.tail, 1);
	cr_assert_float_eq(lp_at(&p, 0), -4.834737f, 1e-5);
	cr_assert_float_eq(lp_at(&p, 1), -1.317003f, 1e-5);
	reading_destroy(r);
}

Test(score, a_token_over_the_boundary_of_prompt_and_answer_is_not_counted)
{
	struct reading *r = read_golden("llama-cpp-python-0.3.36/completion-echo.response");
	struct score_place p;
	cr_assert_null(locate(r, "The cap", "ital of France is", true, &p));
	cr_assert_eq(p.at, 2); /* " of" */
	reading_destroy(r);
}

Test(score, characters_of_several_bytes_are_matched_on_bytes)
{
	struct reading *r = read_golden("llama-cpp-python-0.3.36/score-echo-utf8.response");
	struct score_place p;
	const char *why = locate(r, "日本", " 😀 👩‍👩‍👧‍👦", true, &p);
	cr_assert_null(why, "%s", why);
	cr_assert_eq(p.at, 1);
	cr_assert_eq(p.columns->n - p.tail, 10);
	cr_assert_float_eq(lp_at(&p, 0), -27.072691f, 1e-4);
	reading_destroy(r);
}

Test(score, prompt_logprobs_of_vllm_are_located_by_ids_and_by_text)
{
	struct reading *r = read_golden("vllm-0.32.0/score-prompt-logprobs-ids.response");
	struct score_text sent = texts("", " France is");
	struct score_place p;
	add_ids(&sent.prompt_ids, "[2,818,5279,529]");
	add_ids(&sent.answer_ids, "[7001,563]");
	sent.by_ids = true;
	const char *why = score_locate(&sent, r, false, &p);
	cr_assert_null(why, "%s", why);
	cr_assert_eq(p.at, 4);
	cr_assert_eq(p.tail, 0);
	cr_assert_eq(p.columns->ids[p.at], 7001);
	cr_assert_float_eq(lp_at(&p, 0), -5.111835f, 1e-5);
	score_text_finish(&sent);
	cr_assert_null(locate(r, "The capital of", " France is", false, &p));
	cr_assert_eq(p.at, 4);
	reading_destroy(r);
}

Test(score, ids_that_mean_something_else_to_the_engine_are_refused)
{
	struct reading *r = read_golden("vllm-0.32.0/score-prompt-logprobs-ids.response");
	struct score_text sent = texts("", "utterly other");
	struct score_place p;
	add_ids(&sent.prompt_ids, "[2,818,5279,529]");
	add_ids(&sent.answer_ids, "[7001,563]");
	sent.by_ids = true;
	cr_assert_not_null(score_locate(&sent, r, false, &p));
	score_ids_finish(&sent.answer_ids);
	add_ids(&sent.answer_ids, "[7001,564]"); /* 563 was scored */
	cr_assert_not_null(strstr(score_locate(&sent, r, false, &p), "other tokens"));
	score_ids_finish(&sent.prompt_ids);
	add_ids(&sent.prompt_ids, "[2]"); /* another count than was scored */
	cr_assert_not_null(score_locate(&sent, r, false, &p));
	score_text_finish(&sent);
	reading_destroy(r);
}

Test(score, probabilities_above_1_are_refused)
{
	struct reading *r =
	        read_text("{\"object\":\"text_completion\",\"choices\":[{\"index\":0,"
	                  "\"text\":\"x\",\"prompt_logprobs\":[null,{\"5\":{\"logprob\":3,"
	                  "\"decoded_token\":\" a\"}}],\"finish_reason\":\"length\"}]}");
	struct score_place p;
	const char *why = locate(r, "", " a", false, &p);
	cr_assert(why && strstr(why, "above 1"), "%s", why);
	reading_destroy(r);
}

#define ECHO(tokens, lps, usage, finish)                                                           \
	"{\"object\":\"text_completion\",\"choices\":[{\"index\":0,\"text\":\"\",\"logprobs\":{"   \
	"\"tokens\":" tokens ",\"token_logprobs\":" lps ",\"top_logprobs\":null,\"text_offset\":"  \
	"[]},\"finish_reason\":\"" finish "\"}],\"usage\":" usage "}"

Test(score, the_token_that_the_engine_adds_is_told_from_the_same_token_in_the_answer)
{
	struct reading *r = read_text(ECHO("[\"a\",\" The\",\" The\",\" The\"]", "[null,-1,-2,-3]",
	        "{\"prompt_tokens\":4,\"completion_tokens\":1}", "length"));
	struct score_place p;
	cr_assert_null(locate(r, "a", " The The", true, &p));
	cr_assert_eq(p.at, 1);
	cr_assert_float_eq(lp_at(&p, 1), -2, 1e-6);
	reading_destroy(r);
	/* The same four tokens, the last of them the answer's: what came then was the end. */
	r = read_text(ECHO("[\"a\",\" The\",\" The\",\" The\"]", "[null,-1,-2,-3]",
	        "{\"prompt_tokens\":5,\"completion_tokens\":0}", "stop"));
	cr_assert_null(locate(r, "a The", " The The", true, &p));
	cr_assert_eq(p.at, 2);
	cr_assert_float_eq(lp_at(&p, 1), -3, 1e-6);
	reading_destroy(r);
}

static void expect_late(struct reading *r, const char *prompt, const char *answer)
{
	struct score_place p;
	const char *why = locate(r, prompt, answer, true, &p);
	cr_assert_not_null(why);
	cr_assert(strstr(why, "late") != NULL, "%s", why);
	reading_destroy(r);
}

/* Without a BOS token the list ends with the prompt, and the generated token is not in it. */
Test(score, an_echo_without_bos_that_is_off_by_one_is_refused)
{
	expect_late(read_golden("llama-cpp-python-0.3.36-qwen/score-echo.response"), "The capital",
	        " of France is");
	expect_late(read_golden("llama-cpp-python-0.3.36-qwen/score-echo-utf8.response"), "日本 😀",
	        " 👩‍👩‍👧‍👦");
	expect_late(read_text(ECHO("[\"a\",\" b\"]", "[null,-1]",
	                    "{\"prompt_tokens\":2,\"completion_tokens\":0}", "stop")),
	        "a", " b");
	/* The same token again and again. */
	expect_late(read_text(ECHO("[\"a\",\" b\",\" b\"]", "[null,-1,-2]",
	                    "{\"prompt_tokens\":3,\"completion_tokens\":1}", "length")),
	        "a b", " b");
	/* Special tokens are spelled as nothing. */
	expect_late(read_text("{\"object\":\"text_completion\",\"choices\":[{\"index\":0,"
	                      "\"text\":\"<|x|>a 🎉 b\",\"logprobs\":{\"tokens\":[\"\",\"a\","
	                      "\" \",\"\",\"\"],\"token_logprobs\":[null,-1,-2,-3,-4],"
	                      "\"top_logprobs\":null,\"text_offset\":[]},\"finish_reason\":"
	                      "\"length\"}],\"usage\":{\"prompt_tokens\":5,"
	                      "\"completion_tokens\":1}}"),
	        "<|x|>a", " 🎉");
	/* Another engine's echo is not off by one. */
	struct score_place p;
	struct reading *r = read_text(ECHO("[\"a\",\" b\",\" c\"]", "[null,-1,-2]",
	        "{\"prompt_tokens\":2,\"completion_tokens\":1}", "length"));
	cr_assert_null(locate(r, "a", " b", false, &p));
	reading_destroy(r);
}

Test(score, pieces_of_characters_without_bytes_are_passed_over)
{
	struct score_place p;
	struct reading *r =
	        read_text(ECHO("[\"a\",\" \",\"\",\"\",\"b\",\" c\"]", "[null,-1,-2,-3,-4,-5]",
	                "{\"prompt_tokens\":6,\"completion_tokens\":1}", "length"));
	const char *why = locate(r, "a", " 😀b", true, &p);
	cr_assert_null(why, "%s", why);
	cr_assert_eq(p.at, 1);
	uint32_t at[6];
	cr_assert_eq(score_match_bytes(p.columns, p.at, 5, span_of(" 😀b"), 0, at), 2);
	cr_assert_eq(at[0], 0);
	cr_assert_eq(at[1], SCORE_NONE);
	cr_assert_eq(at[2], SCORE_NONE);
	cr_assert_eq(at[3], 5);
	reading_destroy(r);
}

Test(score, an_answer_that_the_tokens_do_not_spell_is_not_located)
{
	struct score_place p;
	struct reading *r = read_golden("llama-cpp-python-0.3.36/completion-echo.response");
	cr_assert_not_null(locate(r, "The capital of", " Spain is", true, &p));
	cr_assert_not_null(locate(r, "", "Some longer text. The capital of France is", true, &p));
	reading_destroy(r);
	r = read_golden("llama-cpp-python-0.3.36/completion.response");
	cr_assert_not_null(locate(r, "The capital of", " France is", true, &p), "no logprobs");
	reading_destroy(r);
}

Test(score, sglang_and_tgi_are_located_in_their_own_answers)
{
	struct score_place p;
	struct reading *r = read_text(
	        "{\"text\":\" "
	        "x\",\"output_ids\":[9],\"meta_info\":{\"id\":\"1\",\"finish_reason\":{"
	        "\"type\":\"length\",\"length\":1},\"prompt_tokens\":3,\"completion_tokens\":1,"
	        "\"input_token_logprobs\":[[null,2,\"a\"],[-0.5,7,\" b\"],[-1.5,8,\" c\"]],"
	        "\"output_token_logprobs\":[[-2.5,9,\" x\"]],\"input_top_logprobs\":[null,[[-0.5,7,"
	        "\" b\"]],[[-0.1,5,\" d\"]]],\"output_top_logprobs\":[[[-2.5,9,\" x\"]]]}}");
	const char *why = locate(r, "a", " b c", false, &p);
	cr_assert_null(why, "%s", why);
	cr_assert_eq(p.at, 1);
	cr_assert_float_eq(lp_at(&p, 1), -1.5, 1e-6);
	cr_assert(p.columns->flags[2] & TOKEN_NOT_TOP);
	reading_destroy(r);
	r = read_text("{\"generated_text\":\" x\",\"details\":{\"finish_reason\":\"length\","
	              "\"generated_tokens\":1,\"seed\":null,\"prefill\":[{\"id\":2,\"text\":\"a\","
	              "\"logprob\":null},{\"id\":7,\"text\":\" b\",\"logprob\":-0.5}],\"tokens\":[{"
	              "\"id\":9,\"text\":\" x\",\"logprob\":-2.5,\"special\":false}]}}");
	why = locate(r, "a", " b", false, &p);
	cr_assert_null(why, "%s", why);
	cr_assert_eq(p.at, 1);
	cr_assert_float_eq(lp_at(&p, 0), -0.5, 1e-6);
	reading_destroy(r);
}

/* What of an answer can be scored */

static const char *subject(
        enum endpoint e, const char *sent, const char *answer, struct score_subject *ret)
{
	struct reading *r = read_text(answer);
	const char *why = score_subject_read(e, span_of(sent), r, span_of(answer), ret);
	reading_destroy(r);
	return why;
}

#define ANSWER(members)                                                                            \
	"{\"object\":\"text_completion\",\"choices\":[{\"index\":0,\"text\":\" b c\","             \
	"\"logprobs\":null,\"finish_reason\":\"stop\"" members                                     \
	"}],\"usage\":{\"prompt_tokens\":2,"                                                       \
	"\"completion_tokens\":2}}"

Test(score, prompts_are_taken_as_text_and_as_ids)
{
	static const char *const TEXTS[] = {
	        "{\"prompt\":\"a\"}", "{\"prompt\":[\"a\"]}", "{\"prompt\":\"\\u0061\"}"};
	static const char *const IDS[] = {"{\"prompt\":[1,2]}", "{\"prompt\":[[1,2]]}"};
	struct score_subject s;
	for (size_t i = 0; i < ARRAY_LEN(TEXTS); i++) {
		cr_assert_null(subject(ENDPOINT_COMPLETION, TEXTS[i], ANSWER(""), &s));
		cr_assert(s.has_prompt && s.whole);
		cr_assert_str_eq(buf_cstr(&s.prompt), "a");
		cr_assert_str_eq(buf_cstr(&s.answer), " b c");
		score_subject_finish(&s);
	}
	for (size_t i = 0; i < ARRAY_LEN(IDS); i++) {
		cr_assert_null(subject(ENDPOINT_COMPLETION, IDS[i], ANSWER(""), &s));
		cr_assert_not(s.has_prompt);
		cr_assert_eq(s.asked_ids.n, 2);
		cr_assert_eq(s.prompt_ids.n, 0);
		score_subject_finish(&s);
	}
}

Test(score, a_prompt_sent_as_ids_is_told_from_the_ids_that_the_answer_repeats)
{
	struct score_subject s;
	const char *answer = ANSWER(",\"prompt_token_ids\":[3,1,2]");
	cr_assert_null(subject(ENDPOINT_COMPLETION, "{\"prompt\":[1,2]}", answer, &s));
	cr_assert_eq(s.asked_ids.n, 2);
	cr_assert_eq(s.prompt_ids.n, 3);
	cr_assert_eq(s.prompt_tokens, 2, "as the answer's usage says");
	score_subject_finish(&s);
}

Test(score, what_has_no_one_prompt_before_one_answer_is_refused_with_a_reason)
{
	static const char *const BAD[] = {"{\"prompt\":[\"a\",\"b\"]}", "{\"prompt\":[[1],[2]]}",
	        "{\"prompt\":\"a\",\"echo\":true}", "{\"prompt\":\"a\",\"suffix\":\"z\"}", "{}",
	        "{\"prompt\":7}", "nonsense", ""};
	struct score_subject s;
	for (size_t i = 0; i < ARRAY_LEN(BAD); i++) {
		const char *why = subject(ENDPOINT_COMPLETION, BAD[i], ANSWER(""), &s);
		cr_assert_not_null(why, "%s", BAD[i]);
	}
	cr_assert_not_null(subject(ENDPOINT_RESPONSES, "{\"prompt\":\"a\"}", ANSWER(""), &s));
	cr_assert_not_null(subject(ENDPOINT_COMPLETION, "{\"prompt\":\"a\"}",
	        "{\"error\":{\"message\":\"no\",\"type\":\"x\"}}", &s));
	cr_assert_not_null(subject(ENDPOINT_COMPLETION, "{\"prompt\":\"a\"}",
	        "{\"choices\":[{\"index\":0,\"text\":\"\",\"finish_reason\":\"stop\"}]}", &s));
}

Test(score, ids_are_found_in_the_raw_answer_where_there_are_no_logprobs)
{
	struct score_subject s;
	const char *unary = ANSWER(",\"token_ids\":[7,8]");
	cr_assert_null(subject(ENDPOINT_COMPLETION, "{\"prompt\":\"a\"}", unary, &s));
	cr_assert_eq(s.answer_ids.n, 2);
	score_subject_finish(&s);
	/* Ids of a part of the answer are no use. */
	const char *part = "{\"choices\":[{\"index\":0,\"text\":\" b c\",\"token_ids\":[7],"
	                   "\"finish_reason\":\"stop\"}],\"usage\":{\"completion_tokens\":9}}";
	cr_assert_null(subject(ENDPOINT_COMPLETION, "{\"prompt\":\"a\"}", part, &s));
	cr_assert_eq(s.answer_ids.n, 0);
	score_subject_finish(&s);
	struct score_ids ids = {0};
	score_ids_of_answer(
	        SPAN("data: {\"choices\":[{\"index\":0,\"text\":\"x\",\"token_ids\":[1,2]},"
	             "{\"index\":1,\"text\":\"y\",\"token_ids\":[9]}]}\n\n"
	             ": a comment\n\n"
	             "data: {\"choices\":[{\"index\":0,\"text\":\"\",\"token_ids\":[3]}]}\n\n"
	             "data: {\"choices\":[]}\n\ndata: [DONE]\n\n"),
	        &ids);
	cr_assert_eq(ids.n, 3);
	cr_assert_eq(ids.items[2], 3);
	score_ids_finish(&ids);
}

#define CHAT "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"

Test(score, reasoning_beside_the_text_needs_ids_or_all_tokens)
{
	struct score_subject s;
	const char *bare =
	        "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":"
	        "\"yes\",\"reasoning\":\"hm\"},\"finish_reason\":\"stop\"}],\"usage\":{"
	        "\"completion_tokens\":4}}";
	cr_assert_not_null(subject(ENDPOINT_CHAT, CHAT, bare, &s));
	const char *with_ids =
	        "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":"
	        "\"yes\","
	        "\"reasoning\":\"hm\"},\"finish_reason\":\"stop\",\"token_ids\":[4,5,6,7]}],"
	        "\"prompt_token_ids\":[1,2,3],\"usage\":{\"completion_tokens\":4}}";
	const char *why = subject(ENDPOINT_CHAT, CHAT, with_ids, &s);
	cr_assert_null(why, "%s", why);
	cr_assert_not(s.whole);
	cr_assert_eq(s.answer_ids.n, 4);
	cr_assert_eq(s.prompt_ids.n, 3);
	score_subject_finish(&s);
	const char *with_tokens =
	        "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":"
	        "\"yes\","
	        "\"reasoning\":\"hm\"},\"finish_reason\":\"stop\",\"logprobs\":{\"content\":["
	        "{\"token\":\"<t>\",\"logprob\":-1},{\"token\":\"hm\",\"logprob\":-1},"
	        "{\"token\":\"</t>\",\"logprob\":-1},{\"token\":\"yes\",\"logprob\":-1}]}}],"
	        "\"usage\":{\"completion_tokens\":5}}";
	cr_assert_null(subject(ENDPOINT_CHAT, CHAT, with_tokens, &s));
	cr_assert(s.whole);
	cr_assert_str_eq(buf_cstr(&s.answer), "<t>hm</t>yes");
	score_subject_finish(&s);
}

/* Which token is which */

static uint32_t match(const char *answer, const char *scored, const char *prompt, const char *text,
        uint32_t ret[8])
{
	struct reading *a = read_text(answer), *s = read_text(scored);
	struct score_place p;
	const char *why = locate(s, prompt, text, false, &p);
	cr_assert_null(why, "%s", why);
	uint32_t n = score_match(a, &a->choices[0], &p, ret);
	reading_destroy(a);
	reading_destroy(s);
	return n;
}

#define TOLD(text, tokens, lps)                                                                    \
	"{\"choices\":[{\"index\":0,\"text\":\"" text "\",\"logprobs\":{\"tokens\":" tokens        \
	",\"token_logprobs\":" lps ",\"top_logprobs\":null},\"finish_reason\":\"length\"}]}"

Test(score, tokens_match_where_they_begin_and_end_alike)
{
	uint32_t number[8];
	uint32_t n = match(TOLD("abcdef", "[\"ab\",\"c\",\"def\"]", "[-1,-2,-3]"),
	        ECHO("[\"x\",\"a\",\"b\",\"c\",\"def\",\"!\"]", "[null,-1,-1,-1,-1,-1]",
	                "{\"completion_tokens\":1}", "length"),
	        "x", "abcdef", number);
	cr_assert_eq(n, 2);
	cr_assert_eq(number[0], SCORE_NONE);
	cr_assert_eq(number[1], 3);
	cr_assert_eq(number[2], 4);
}

Test(score, an_answer_whose_first_token_melts_into_the_prompt_is_matched_from_the_second)
{
	uint32_t number[8];
	uint32_t n = match(TOLD("\\n\\n\\n\\n", "[\"\\n\",\"\\n\",\"\\n\\n\"]", "[-1,-2,-3]"),
	        ECHO("[\"x\",\"\\n\\n\",\"\\n\",\"\\n\\n\",\"!\"]", "[null,-1,-1,-1,-1]",
	                "{\"completion_tokens\":1}", "length"),
	        "x\n", "\n\n\n\n", number);
	cr_assert_eq(n, 2);
	cr_assert_eq(number[0], SCORE_NONE);
	cr_assert_eq(number[1], 2);
	cr_assert_eq(number[2], 3);
}

Test(score, white_space_that_an_engine_trimmed_from_its_text_is_scored_all_the_same)
{
	uint32_t number[8];
	uint32_t n = match(TOLD("yes sir", "[\" yes\",\" sir\",\"</s>\"]", "[-1,-2,-3]"),
	        ECHO("[\"x\",\" yes\",\" sir\",\"!\"]", "[null,-1,-1,-1]",
	                "{\"completion_tokens\":1}", "length"),
	        "x", " yes sir", number);
	cr_assert_eq(n, 2);
	cr_assert_eq(number[0], 1);
	cr_assert_eq(number[2], SCORE_NONE);
}

static uint32_t match_redacted(const char *answer, const char *scored, uint32_t at, uint32_t ret[8])
{
	struct reading *a = read_text(answer), *s = read_text(scored);
	struct score_place p;
	cr_assert(score_columns(s, &p));
	p.at = at;
	p.redacted = true;
	uint32_t n = score_match(a, &a->choices[0], &p, ret);
	reading_destroy(a);
	reading_destroy(s);
	return n;
}

#define PLAIN TOLD("ab cd", "[\"ab\",\" c\",\"d\"]", "[-1,-2,-3]")
#define REDACTED(tokens) ECHO(tokens, "[null,-1,-1,-1,-1]", "{\"completion_tokens\":1}", "length")

Test(score, redacted_scores_match_by_length)
{
	uint32_t number[8];
	cr_assert_eq(
	        match_redacted(PLAIN, REDACTED("[\"Q\",\"XY\",\" Z\",\"V\",\"W\"]"), 1, number), 3);
	cr_assert_eq(number[0], 1);
	cr_assert_eq(number[2], 3);
	/* The scorer split " cd" in another way. */
	cr_assert_eq(
	        match_redacted(PLAIN, REDACTED("[\"Q\",\"XY\",\" \",\"ZV\",\"W\"]"), 1, number), 1);
	cr_assert_eq(number[1], SCORE_NONE);
	cr_assert_eq(number[2], SCORE_NONE);
}

Test(score, redacted_scores_of_another_length_match_nothing)
{
	uint32_t number[8];
	cr_assert_eq(
	        match_redacted(PLAIN, REDACTED("[\"Q\",\"XY\",\" Z\",\"VVV\",\"W\"]"), 1, number),
	        0);
	cr_assert_eq(
	        match_redacted(PLAIN, REDACTED("[\"Q\",\"XY\",\" Z\",\"V\",\"W\"]"), 2, number), 0);
	cr_assert_eq(number[0], SCORE_NONE);
}
