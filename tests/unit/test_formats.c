#include "capture/formats/input_formats.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/mem.h"

/* Writes what a format delivers as lines of text. */
struct result {
	struct buf answers, bad, unfit, notes;
};

static void on_answer(void *arg, const struct imported_answer *a)
{
	struct result *h = arg;
	buf_printf(&h->answers, "%.*s %s %.*s|%.*s|%.*s -> %.*s (%.*s)", (int)a->backend.len,
	        a->backend.data, role_name(a->role), (int)a->suite.len, a->suite.data,
	        (int)a->item.len, a->item.data, (int)a->category.len, a->category.data,
	        (int)a->text.len, a->text.data, (int)a->parameters.len, a->parameters.data);
	if (a->gold.len) {
		buf_printf(&h->answers, " gold %.*s", (int)a->gold.len, a->gold.data);
	}
	if (a->logprobs.len) {
		buf_printf(&h->answers, " %.*s", (int)a->logprobs.len, a->logprobs.data);
	}
	buf_append_char(&h->answers, '\n');
}

static void on_bad(void *arg, uint64_t line, const char *why)
{
	buf_printf(&((struct result *)arg)->bad, "%d: %s\n", (int)line, why);
}

static void on_unfit(void *arg, uint64_t line, const char *why)
{
	if (line) {
		buf_printf(&((struct result *)arg)->unfit, "%llu: ", (unsigned long long)line);
	}
	buf_printf(&((struct result *)arg)->unfit, "%s\n", why);
}

static void on_note(void *arg, const char *why)
{
	buf_printf(&((struct result *)arg)->notes, "%s\n", why);
}

static struct result read_text(const char *text, const char *name)
{
	struct result h = {0};
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	const struct format_sink sink = {
	        .answer = on_answer, .bad = on_bad, .unfit = on_unfit, .note = on_note, .arg = &h};
	const struct format_file f = {
	        .file = file,
	        .name = span_of(name),
	        .backend = SPAN("me"),
	        .role = ROLE_CANDIDATE,
	        .time_ns = 5,
	};
	const struct input_format *format = input_format_of(file);
	cr_assert(format, "%s", text);
	cr_assert_eq(format->read(&f, &sink), 0);
	fclose(file);
	return h;
}

static void result_finish(struct result *h)
{
	buf_finish(&h->answers);
	buf_finish(&h->bad);
	buf_finish(&h->unfit);
	buf_finish(&h->notes);
}

static void check(const char *text, const char *name, const char *answers, const char *bad,
        const char *unfit, const char *notes)
{
	struct result h = read_text(text, name);
	cr_expect_str_eq(buf_cstr(&h.answers), answers);
	cr_expect_str_eq(buf_cstr(&h.bad), bad);
	cr_expect_str_eq(buf_cstr(&h.unfit), unfit);
	cr_expect_str_eq(buf_cstr(&h.notes), notes);
	result_finish(&h);
}

#define SIDE(backend, text, more)                                                                  \
	"{\"prompt_id\":\"p\",\"backend_name\":\"" backend                                         \
	"\",\"model_id\":\"m\",\"text\":\"" text "\",\"latency_ms\":5.0,\"metadata\":{\"prompt_"   \
	"text\":\"P\",\"prompt_category\":\"c\"}" more "}"

Test(formats, a_comparison_is_two_answers_and_a_self_check_two_of_the_reference)
{
	check("[{\"baseline\":" SIDE("a", "x", ",\"quantization\":\"q4\"") ",\"test\":" SIDE(
	              "b", "y", "") "},"
	                            "{\"baseline\":" SIDE("a", "x", "") ",\"test\":" SIDE("a", "z",
	                                    "") ",\"metadata\":{\"is_self_check\":true}}]",
	        "x.json",
	        "a/m/q4 reference ||c -> \"x\" (\"temperature\":0)\n"
	        "b/m candidate ||c -> \"y\" (\"temperature\":0)\n"
	        "a/m reference ||c -> \"x\" (\"temperature\":0)\n"
	        "a/m reference ||c -> \"z\" (\"temperature\":0)\n",
	        "", "", "");
}

#define SCORES                                                                                     \
	",\"tokens\":[\"x\",\" "                                                                   \
	"y\"],\"logprobs\":[-0.5,-9999.0],\"distributions\":[[-0.5,-9999.0],[0.25,0.5]],"          \
	"\"distribution_metadata\":[{\"id_0\":\"x\",\"id_1\":\"z\"},{\"id_1\":12}]"

Test(formats, scores_are_kept_as_written_and_what_stood_for_none_is_none)
{
	check("{\"comparisons\":[{\"baseline\":" SIDE("a", "x y", SCORES) ",\"test\":" SIDE(
	              "b", "y", "") "}]}",
	        "x.json",
	        "a/m reference ||c -> \"x y\" (\"temperature\":0) {\"content\":["
	        "{\"token\":\"x\",\"logprob\":-0.5,\"top_logprobs\":[{\"token\":\"x\",\"logprob\":-"
	        "0.5},{\"token\":"
	        "\"z\",\"logprob\":null}]},"
	        "{\"token\":\" "
	        "y\",\"logprob\":null,\"top_logprobs\":[{\"token\":\"token_id:12\",\"logprob\":"
	        "-0.6931471805599453}]}]}\n"
	        "b/m candidate ||c -> \"y\" (\"temperature\":0)\n",
	        "", "", "");
	check("{\"comparisons\":[{\"baseline\":" SIDE("a", "x",
	              ",\"tokens\":[\"x\",\"y\"],\"logprobs\":[-1]") ",\"test\":" SIDE("b", "y",
	              "") "}]}",
	        "x.json",
	        "a/m reference ||c -> \"x\" (\"temperature\":0)\n"
	        "b/m candidate ||c -> \"y\" (\"temperature\":0)\n",
	        "", "", "the numbers of logprobs and tokens differ, so both are left out\n");
}

Test(formats, stress_levels_are_backends_of_their_own)
{
	check("[{\"concurrency_level\":1,\"results\":[" SIDE(
	              "a", "x", "") "]},"
	                            "{\"concurrency_level\":8,\"results\":[" SIDE("a", "y",
	                                    "") ",7]},{\"results\":[" SIDE("a", "z", "") "]}]",
	        "x.json",
	        "a/m/c1 reference ||c -> \"x\" (\"temperature\":0)\n"
	        "a/m/c8 candidate ||c -> \"y\" (\"temperature\":0)\n",
	        "1: a result is not a JSON object\n1: a stress level has no concurrency_level\n",
	        "", "");
}

Test(formats, elements_that_are_damaged_are_told_by_line_and_the_rest_goes_on)
{
	check("[\n{\"baseline\":{\"backend_name\":1},\"test\":{}},\n5,\n{\"determinism_score\":1,"
	      "\"num_runs\":3},\n"
	      "{\"x\":1},\n{\"baseline\":" SIDE("a", "x", "") ",\"test\":" SIDE(
	              "b", "y", "") "},\n{\"base",
	        "x.json",
	        "a/m reference ||c -> \"x\" (\"temperature\":0)\n"
	        "b/m candidate ||c -> \"y\" (\"temperature\":0)\n",
	        "2: a result lacks its text, backend_name or model_id\n"
	        "3: neither a comparison nor a stress level\n"
	        "5: neither a comparison nor a stress level\n"
	        "7: the document ends within a string\n",
	        "a determinism result has counts and no answers\n", "");
}

#define SAMPLE(id, prompt, how, resps)                                                             \
	"{\"doc_id\":" id                                                                          \
	",\"doc\":{\"subject\":\"algebra\"},\"target\":\"#### 4\",\"arguments\":{\"gen_args_0\":{" \
	"\"arg_0\":" prompt ",\"arg_1\":" how "}},\"resps\":" resps ",\"filter\":\"none\"}\n"

Test(formats, samples_bring_their_task_their_document_and_the_right_answer)
{
	check(SAMPLE("3", "\"2+2=\"",
	              "{\"until\":[\"\\n\"],\"do_sample\":false,\"temperature\":0.7,\"max_gen_"
	              "toks\":9}",
	              "[[\"4\",\"5\"]]")
	                SAMPLE("4", "[\"[{\\\"role\\\":\\\"user\\\",\\\"content\\\":\\\"é\\\"}]\"]",
	                        "{\"do_sample\":true,\"temperature\":0.7}", "[[\"x\"]]"),
	        "samples_gsm8k_cot_2026-04-19T12-00-00.250000.jsonl",
	        "me candidate gsm8k_cot|3|algebra -> \"4\" "
	        "(\"temperature\":0,\"max_tokens\":9,\"stop\":[\"\\n\"]) gold "
	        "#### 4\n"
	        "me candidate gsm8k_cot|3|algebra -> \"5\" "
	        "(\"temperature\":0,\"max_tokens\":9,\"stop\":[\"\\n\"]) gold "
	        "#### 4\n"
	        "me candidate gsm8k_cot|4|algebra -> \"x\" (\"temperature\":0.7) gold #### 4\n",
	        "", "", "");
}

Test(formats, a_bare_text_among_the_resps_is_an_answer)
{
	check(SAMPLE("1", "\"p\"", "{}", "[\"zero\"]")
	                SAMPLE("2", "[\"[{\\\"role\\\":\\\"user\\\",\\\"content\\\":\\\"q\\\"}]\"]",
	                        "{}", "[\"one\"]"),
	        "samples_t.jsonl",
	        "me candidate t|1|algebra -> \"zero\" (\"temperature\":0) gold #### 4\n"
	        "me candidate t|2|algebra -> \"one\" (\"temperature\":0) gold #### 4\n",
	        "", "", "");
}

Test(formats, elements_without_an_answer_are_told_with_their_line)
{
	check(SAMPLE("1", "\"p\"", "{\"max_tokens\":5,\"max_gen_toks\":9}", "[[\"\"]]") SAMPLE(
	              "2", "\"p\"", "{}", "[[null]]") SAMPLE("3", "\"p\"", "{}", "[[]]")
	                SAMPLE("4", "\"p\"", "{}", "[]") SAMPLE("5", "\"p\"", "{}", "[null]"),
	        "samples_t.jsonl",
	        "me candidate t|1|algebra -> \"\" (\"temperature\":0,\"max_tokens\":5) gold #### "
	        "4\n",
	        "",
	        "2: a request has no answer\n3: a request has no answer\n"
	        "4: a request has no answer\n5: a request has no answer\n",
	        "");
	check("[{\"conversations\":[]},\n{\"conversations\":[{\"from\":\"gpt\",\"value\":\"a\"}]},"
	      "\n"
	      "{\"conversations\":[{\"from\":\"human\",\"value\":\"q\"}]}]",
	        "chats.json", "", "",
	        "1: it has no answer to a turn of a person\n2: it has no answer to a turn of a "
	        "person\n3: it has no answer to a turn of a person\n",
	        "");
}

Test(formats, answers_to_images_are_told_and_not_taken_for_answers_to_the_text)
{
	check("[{\"image\":\"a.png\",\"conversations\":[{\"from\":\"human\",\"value\":\"what?\"},"
	      "{\"from\":\"gpt\",\"value\":\"a cat\"}]},\n{\"conversations\":[{\"from\":\"human\","
	      "\"value\":\"who?\"},{\"from\":\"gpt\",\"value\":\"me\"}],\"tools\":[{\"name\":\"f\"}"
	      "]}]",
	        "chats.json",
	        "me candidate || -> \"me\" "
	        "(\"tools\":[{\"type\":\"function\",\"function\":{\"name\":"
	        "\"f\"}}])\n",
	        "1: its image can't be sent\n", "", "");
}

Test(formats, a_batchs_error_is_told_where_nobody_answered)
{
	check("{\"custom_id\":\"a\",\"response\":{\"status_code\":500,\"body\":null},\"error\":{"
	      "\"code\":"
	      "\"server_error\",\"message\":\"out of\\nmemory\"}}\n"
	      "{\"custom_id\":\"b\",\"response\":null,\"error\":{\"code\":null,\"message\":"
	      "\"expired\"}}\n"
	      "{\"custom_id\":\"c\",\"response\":{\"status_code\":500,\"body\":null},\"error\":"
	      "null}\n"
	      "{\"custom_id\":\"d\",\"response\":null,\"error\":\"gone\"}\n",
	        "out.jsonl", "", "",
	        "1: it has no answer: server_error: out of memory: status 500\n"
	        "2: it has no answer: expired\n3: it has no answer: status 500\n"
	        "4: it has no answer: gone\n",
	        "");
}

Test(formats, lines_of_samples_that_are_damaged_or_loglikelihoods_are_left_out)
{
	check(SAMPLE("1", "\"a\"", "\" b\"",
	              "[[[\"-1.5\",\"False\"]]]") "{\"doc_id\":1}\n\nnonsense\n" SAMPLE("2", "5",
	              "{}", "[[\"x\"]]") SAMPLE("2", "[\"nope\"]", "{}", "[[\"x\"]]")
	                SAMPLE("2", "\"p\"", "{}", "[[\"x\"],[\"y\"]]"),
	        "samples_t.jsonl",
	        "me candidate t|2|algebra -> \"x\" (\"temperature\":0) gold #### 4\n",
	        "2: its arguments or resps are missing\n4: it is not a JSON object\n"
	        "5: its prompt is neither a text nor a chat\n6: its chat is not a list of "
	        "messages\n"
	        "7: it has more resps than arguments\n",
	        "a loglikelihood is not an answer\n", "");
}

Test(formats, a_file_of_another_kind_is_none_of_them)
{
	static const char *const others[] = {"", "{}", "[]", "[1,2]", "plain text",
	        "{\"messages\":[]}", "{\"a\":{\"doc_id\":1,\"arguments\":2}}", "\"comparisons\"",
	        "[\"baseline\",\"test\"]"};
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		FILE *file = fmemopen((void *)others[i], strlen(others[i]), "r");
		cr_expect_null(input_format_of(file), "%s", others[i]);
		fclose(file);
	}
	cr_expect_null(input_format_find("nothing"));
	cr_expect_eq(input_format_find("lm-eval"), &input_format_lm_eval);
}

Test(formats, a_plain_body_is_judged_whatever_its_length)
{
	struct buf body = {0};
	buf_append_str(&body, "{\"choices\":[");
	size_t at = body.len;
	memset(buf_reserve(&body, DECODED_LIMIT), ' ', DECODED_LIMIT);
	body.len = at + DECODED_LIMIT;
	struct imported_answer a = {.sent = SPAN("{}"),
	        .target = SPAN("/v1/chat/completions"),
	        .status = 200,
	        .content_type = SPAN("application/json"),
	        .received = buf_span(&body)};
	cr_assert_eq(imported_answer_outcome(&a), OUTCOME_BROKEN);
	a.content_encoding = SPAN("identity");
	cr_assert_eq(imported_answer_outcome(&a), OUTCOME_BROKEN);
	buf_append_str(&body, "]}");
	a.received = buf_span(&body);
	cr_assert_eq(imported_answer_outcome(&a), OUTCOME_COMPLETE);
	buf_finish(&body);
}
