#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/json.h"
#include "answers/reading.h"

static struct reading *read_body(struct span body, enum framing framing, bool has_tools)
{
	const struct reading_hints hints = {.endpoint = ENDPOINT_CHAT,
	        .status = 200,
	        .framing = framing,
	        .has_tools = has_tools};
	struct reader *r = reader_create(&hints);
	reader_feed(r, body.data, body.len);
	return reader_end(r, true);
}

/* A chat answer with that content; finish NULL: the answer is incomplete. */
static struct reading *read_content(const char *content, const char *finish, bool has_tools)
{
	struct buf b = {0};
	buf_append_str(&b, "{\"choices\":[{\"index\":0,\"message\":{\"content\":");
	json_put_string(&b, span_of(content));
	buf_append_str(&b, "}");
	if (finish) {
		buf_printf(&b, ",\"finish_reason\":\"%s\"", finish);
	}
	buf_append_str(&b, "}]}");
	struct reading *r = read_body(buf_span(&b), FRAMING_UNARY, has_tools);
	buf_finish(&b);
	cr_assert_eq(r->n_choices, 1);
	cr_assert_eq(r->choices[0].text.len, strlen(content), "the text stays as it was");
	return r;
}

static struct reading *read_message(const char *members)
{
	struct buf b = {0};
	buf_printf(&b, "{\"choices\":[{\"index\":0,\"message\":{%s},\"finish_reason\":\"stop\"}]}",
	        members);
	struct reading *r = read_body(buf_span(&b), FRAMING_UNARY, false);
	buf_finish(&b);
	cr_assert_eq(r->n_choices, 1);
	return r;
}

static void expect_parts(const struct choice *c, const char *reasoning, const char *answer)
{
	struct buf a = {0}, t = {0};
	choice_answer(c, &a);
	choice_reasoning(c, &t);
	cr_expect_str_eq(buf_cstr(&a), answer, "answer \"%s\" of \"%.*s\", not \"%s\"", a.data,
	        (int)c->text.len, c->text.data, answer);
	cr_expect_str_eq(buf_cstr(&t), reasoning, "reasoning \"%s\" of \"%.*s\", not \"%s\"",
	        t.data, (int)c->text.len, c->text.data, reasoning);
	buf_finish(&a);
	buf_finish(&t);
}

static void expect_split(
        const char *content, const char *finish, const char *reasoning, const char *answer)
{
	struct reading *r = read_content(content, finish, false);
	expect_parts(&r->choices[0], reasoning, answer);
	cr_expect_eq(r->choices[0].place, REASONING_INLINE, "%s", content);
	cr_expect_geq(r->choices[0].n_thoughts, 1, "%s", content);
	reading_destroy(r);
}

static void expect_plain(const char *content)
{
	static const char *const finishes[] = {"stop", "length"};
	for (size_t i = 0; i < ARRAY_LEN(finishes); i++) {
		struct reading *r = read_content(content, finishes[i], false);
		cr_expect_eq(r->choices[0].n_thoughts, 0, "%s", content);
		cr_expect_eq(r->choices[0].place, REASONING_NONE);
		expect_parts(&r->choices[0], "", content);
		reading_destroy(r);
	}
}

Test(reasoning_marks, of_every_family_are_told_from_the_answer)
{
	expect_split(
	        "<think>\nTwo and two.\n</think>\n\nFour.", "stop", "\nTwo and two.\n", "Four.");
	expect_split("\n<think>a</think>b", "stop", "a", "b");
	expect_split("<thinking>a</thinking>b", "stop", "a", "b");
	expect_split("<thought>a</thought>b", "stop", "a", "b");
	expect_split("<reasoning>a</reasoning>b", "stop", "a", "b");
	expect_split("<seed:think>a</seed:think>b", "stop", "a", "b");
	expect_split("<longcat_think>a</longcat_think>b", "stop", "a", "b");
	expect_split("[THINK]a[/THINK]b", "stop", "a", "b");
	expect_split("◁think▷a◁/think▷b", "stop", "a", "b");
	expect_split("<|inner_prefix|>a<|inner_suffix|>b", "stop", "a", "b");
	expect_split("<|channel>thought\na<channel|>b", "stop", "\na", "b");
	expect_split("analysisWe add.assistantfinalFour.", "stop", "We add.", "Four.");
	expect_split("Here is my thought process: a Here is my response: b", "stop", " a ", "b");
	expect_split("Here's my thought process:\na\nHere's my response:\nb", "stop", "\na\n", "b");
}

Test(reasoning_marks, take_along_what_some_families_put_around_the_answer)
{
	expect_split("<think>\na\n</think>\n<answer>\nb\n</answer>", "stop", "\na\n", "b");
	expect_split("<think>\na\n</think>\n\n<response>\nb\n</response>\n", "stop", "\na\n", "b");
	expect_split("<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>b<|END_RESPONSE|>",
	        "stop", "a", "b");
	expect_split("<|begin_of_thought|>\n\na\n\n<|end_of_thought|>\n\n"
	             "<|begin_of_solution|>\n\nb<|end_of_solution|>",
	        "stop", "\n\na\n\n", "b");
	expect_split("<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final"
	             "<|message|>b<|return|>",
	        "stop", "a", "b");
	/* If a prompt asked for <answer>, the mark is part of the answer. */
	expect_split("<think>a</think><answer>b</answer>", "stop", "a", "<answer>b</answer>");
}

Test(reasoning_marks, of_channels_are_told_from_what_is_said_on_others)
{
	expect_split("<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>commentary"
	             "<|message|>b<|end|><|start|>assistant<|channel|>analysis<|message|>c<|end|>"
	             "<|start|>assistant<|channel|>final<|message|>d<|return|>",
	        "stop", "ac", "bd");
	/* There is no reasoning. */
	static const char *const answers[] = {
	        "<|channel|>final<|message|>b<|return|>",
	        "<|start|>assistant<|channel|>final<|message|>b",
	        "<|START_RESPONSE|>b<|END_RESPONSE|>",
	        "<|START_TEXT|>b<|END_TEXT|>",
	};
	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		struct reading *r = read_content(answers[i], "stop", false);
		expect_parts(&r->choices[0], "", "b");
		cr_expect_eq(r->choices[0].place, REASONING_NONE, "%s", answers[i]);
		reading_destroy(r);
	}
	struct reading *r = read_content("<|channel|>analysis<|message|>a and", "length", false);
	cr_assert(r->marks & READING_THOUGHT_OPEN);
	expect_parts(&r->choices[0], "a and", "");
	reading_destroy(r);
	expect_plain("The token <|channel|>final<|message|> begins the answer.");
}

Test(reasoning_marks, that_never_end_stop_at_a_call)
{
	static const char *const texts[] = {
	        "<think>\nI ask f.\n<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>",
	        "<think>\nI ask f.\n<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0"
	        "<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
	};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct reading *r = read_content(texts[i], "stop", true);
		cr_expect_eq(r->choices[0].n_calls, 1, "%s", texts[i]);
		expect_parts(&r->choices[0], "\nI ask f.\n", "");
		reading_destroy(r);
	}
}

Test(reasoning_marks, that_never_end_go_on_after_a_mentioned_call)
{
#define CALL "<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>"
	static const char *const thoughts[] = {"\nI could emit `" CALL "` here, but no",
	        "\nFormat:\"" CALL "\n", "\nFormat:" CALL "\n", "\n" CALL " is the format"};
#undef CALL
	for (size_t i = 0; i < ARRAY_LEN(thoughts); i++) {
		struct buf b = {0};
		buf_printf(&b, "<think>%s", thoughts[i]);
		struct reading *r = read_content(buf_cstr(&b), "length", true);
		cr_expect_eq(r->choices[0].n_calls, 0, "%s", thoughts[i]);
		expect_parts(&r->choices[0], thoughts[i], "");
		reading_destroy(r);
		buf_finish(&b);
	}
}

Test(reasoning_marks, may_end_without_having_begun)
{
	expect_split("Two and two.\n</think>\n\nFour.", "stop", "Two and two.\n", "Four.");
	expect_split("t</think>4", "stop", "t", "4");
	expect_split("Two.[/THINK]Four.", "stop", "Two.", "Four.");
	expect_split("a\n```\ncode\n```\nb\n</think>\n\nc", "stop", "a\n```\ncode\n```\nb\n", "c");
	expect_split("thinking only\n</think>", "length", "thinking only\n", "");
	struct reading *r = read_content("ab\n</think>\n\nc", "stop", false);
	const struct thought *t = &r->choices[0].thoughts[0];
	cr_assert(t->open == 0 && t->from == 0 && t->to == 3 && t->close == 11);
	reading_destroy(r);
}

Test(reasoning_marks, that_were_cut_reach_to_the_end_and_are_marked)
{
	static const char *const texts[] = {
	        "<think>\nTwo and", "<think>Two and", "<think>", "<think> "};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct reading *r = read_content(texts[i], i % 2 ? NULL : "length", false);
		cr_assert(r->marks & READING_THOUGHT_OPEN);
		cr_assert_eq(r->choices[0].n_thoughts, 1);
		cr_assert_eq(r->choices[0].thoughts[0].close, strlen(texts[i]));
		expect_parts(&r->choices[0], texts[i] + 7, "");
		reading_destroy(r);
	}
	struct reading *r = read_content("<think>\nI went in circles", "stop", false);
	cr_assert(r->marks & READING_THOUGHT_OPEN);
	reading_destroy(r);
	r = read_content("<think>a</think>b", "stop", false);
	cr_assert_not(r->marks & READING_THOUGHT_OPEN);
	reading_destroy(r);
}

Test(reasoning_marks, are_not_what_an_answer_says_about_marks)
{
	expect_plain("");
	expect_plain("Four.");
	expect_plain("Models write <think>like this</think> before they answer.");
	expect_plain("Use `<think>` and `</think>`.");
	expect_plain("The tag </think> ends a thought.");
	expect_plain("It ends with \"</think>\".");
	expect_plain("```xml\n<think>\na\n</think>\n```\n");
	expect_plain("Like so:\n\n```\na\n</think>\nb\n```\nEnd.");
	expect_plain("Like so:\n<think>\na\n</think>\nb");
	expect_plain("`<think>` opens, then comes `text </think>\nmore`");
	expect_plain("analysis of the market");
	expect_plain("Here is my thought process: first I look, then I leap.");
	expect_plain("<reasoning> is a tag");
	expect_plain("<thinker>a</thinker>");
	expect_plain("He said: [THINK] hard.");
	struct reading *r = read_content("<think> is a tag that opens a thought.", "stop", false);
	cr_assert_eq(r->choices[0].n_thoughts, 0);
	reading_destroy(r);
}

Test(reasoning_marks, end_at_the_mark_that_is_neither_quoted_nor_in_a_code_block)
{
	expect_split("<think>The tag `</think>` ends it.</think>ok", "stop",
	        "The tag `</think>` ends it.", "ok");
	expect_split("<think>Say \"</think>\"?\nNo.\n</think>\nok", "stop",
	        "Say \"</think>\"?\nNo.\n", "ok");
	expect_split("<think>\n```\n</think>\n```\n</think>\nok", "stop", "\n```\n</think>\n```\n",
	        "ok");
	expect_split(
	        "<think>\n```\nnever closed\n</think>\nok", "stop", "\n```\nnever closed\n", "ok");
}

Test(reasoning_marks, may_come_again_between_the_parts_of_an_answer)
{
	expect_split("<think>a</think>b\n<think>c</think>d", "stop", "ac", "b\nd");
	expect_split("<think>a</think>\n<think>b</think>\nc", "stop", "ab", "c");
	expect_split("a</think>b\n\n<think>\nc\n</think>\nd", "stop", "a\nc\n", "b\n\n\nd");
	/* Not in code, nor in a sentence. */
	expect_split("<think>a</think>b <think>c</think> d", "stop", "a", "b <think>c</think> d");
	expect_split("<think>a</think>\n```\n<think>c</think>\n```\n", "stop", "a",
	        "```\n<think>c</think>\n```");
	expect_split("<think>a</think>b\n<think> is the tag", "stop", "a", "b\n<think> is the tag");
}

Test(reasoning_marks, are_limited_in_number)
{
	struct buf b = {0};
	for (int i = 0; i < READING_THOUGHTS_LIMIT + 3; i++) {
		buf_append_str(&b, "<think>a</think>\n");
	}
	struct reading *r = read_content(buf_cstr(&b), "stop", false);
	cr_assert_eq(r->choices[0].n_thoughts, READING_THOUGHTS_LIMIT);
	cr_assert(r->marks & READING_TOO_LARGE);
	reading_destroy(r);
	buf_finish(&b);
}

Test(reasoning_marks, of_a_hostile_text_take_linear_time)
{
	struct buf b = {0};
	buf_append_str(&b, "<think>```\n```\n");
	for (int i = 0; i < 200000; i++) {
		buf_append_str(&b, i % 3 ? "</think>`<think>" : "\n<think> ");
	}
	struct reading *r = read_content(buf_cstr(&b), "stop", true);
	reading_destroy(r);
	buf_finish(&b);
}

Test(reasoning_marks, beyond_the_limit_are_not_looked_for, .timeout = 120)
{
	struct buf b = {0};
	for (int i = 0; i < READING_THOUGHTS_LIMIT; i++) {
		buf_append_str(&b, "<think>a</think>\n");
	}
	/* If each of these were followed to the closing mark, it would take minutes. */
	for (int i = 0; i < 1000000; i++) {
		buf_append_str(&b, "<think>\n");
	}
	buf_append_str(&b, "</think>");
	struct reading *r = read_content(buf_cstr(&b), "stop", false);
	cr_assert_eq(r->choices[0].n_thoughts, READING_THOUGHTS_LIMIT);
	cr_assert(r->marks & READING_TOO_LARGE);
	reading_destroy(r);
	buf_finish(&b);
}

Test(reasoning_marks, in_members_are_read_whatever_their_name_and_shape)
{
	static const char *const forms[] = {
	        "\"reasoning_content\":\"two and two\"",
	        "\"reasoning\":\"two and two\"",
	        "\"thinking\":\"two and two\"",
	        "\"reasoning\":{\"content\":\"two and two\"}",
	        "\"reasoning\":{\"summary\":[\"two \",\"and two\"]}",
	        "\"reasoning\":{\"summary\":\"sum\",\"text\":\"two and two\"}",
	        "\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"two and two\"},"
	        "{\"type\":\"reasoning.encrypted\",\"data\":\"xyz\"}]",
	        "\"reasoning_details\":[{\"type\":\"reasoning.summary\",\"summary\":\"two and "
	        "two\"}]",
	        /* Repeated reasoning counts once. */
	        "\"reasoning_content\":\"two and two\",\"reasoning\":\"two and two\"",
	        "\"reasoning_content\":\"two and two\",\"reasoning\":\"two \\u0061nd two\"",
	        "\"reasoning\":\"two and two\",\"reasoning_details\":["
	        "{\"type\":\"reasoning.text\",\"text\":\"two \"},"
	        "{\"type\":\"reasoning.text\",\"text\":\"and two\"}]",
	        "\"reasoning\":\"two and two\",\"reasoning_content\":null,\"thinking\":\"\"",
	};
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		struct buf b = {0};
		buf_printf(&b, "%s,\"content\":\"4\"", forms[i]);
		struct reading *r = read_message(buf_cstr(&b));
		expect_parts(&r->choices[0], "two and two", "4");
		cr_expect_eq(r->choices[0].place, REASONING_FIELD, "%s", forms[i]);
		reading_destroy(r);
		buf_finish(&b);
	}
	struct reading *r =
	        read_message("\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\","
	                     "\"text\":\"two and two\"}]},{\"type\":\"text\",\"text\":\"4\"}]");
	expect_parts(&r->choices[0], "two and two", "4");
	reading_destroy(r);
	r = read_message(
	        "\"content\":[{\"summary\":[{\"type\":\"summary_text\",\"text\":\"two \"},"
	        "{\"type\":\"summary_text\",\"text\":\"and two\"}],\"type\":\"reasoning\"},"
	        "{\"type\":\"output_text\",\"text\":\"4\"}]");
	expect_parts(&r->choices[0], "two and two", "4");
	cr_expect_eq(r->choices[0].place, REASONING_FIELD);
	reading_destroy(r);
	r = read_message("\"reasoning\":\"a\",\"thinking\":\"b\",\"content\":\"4\"");
	expect_parts(&r->choices[0], "ab", "4");
	reading_destroy(r);
}

Test(reasoning_marks, that_are_in_a_member_and_in_the_text_count_once)
{
	struct reading *r =
	        read_message("\"reasoning\":\"a\",\"content\":\"<think>\\na\\n</think>4\"");
	expect_parts(&r->choices[0], "a", "4");
	cr_expect_eq(r->choices[0].place, REASONING_BOTH);
	reading_destroy(r);
	r = read_message("\"reasoning\":\"a\",\"content\":\"<think>b</think>4\"");
	expect_parts(&r->choices[0], "ab", "4");
	reading_destroy(r);
}

Test(reasoning_marks, under_two_names_count_once_over_the_events_of_a_stream)
{
	struct reading *r = read_body(
	        SPAN("data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning\":\"two\","
	             "\"reasoning_content\":\"two\",\"reasoning_details\":[{\"text\":\"two\"}]}}]}"
	             "\n\n"
	             "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning\":\" and\","
	             "\"reasoning_content\":\" and\",\"reasoning_details\":[{\"text\":\" "
	             "a\"}]}}]}\n\n"
	             "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning\":\" two\","
	             "\"reasoning_content\":\" two\",\"reasoning_details\":[{\"text\":\"nd two\"}]}"
	             "}]}\n\n"
	             "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"4\"},"
	             "\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"),
	        FRAMING_SSE, false);
	expect_parts(&r->choices[0], "two and two", "4");
	reading_destroy(r);
}

Test(reasoning_marks, that_are_counted_but_not_shown_are_hidden)
{
	struct reading *r =
	        read_body(SPAN("{\"choices\":[{\"index\":0,\"message\":{\"content\":\"4\"},"
	                       "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1,"
	                       "\"completion_tokens\":20,\"completion_tokens_details\":{"
	                       "\"reasoning_tokens\":19}}}"),
	                FRAMING_UNARY, false);
	cr_assert_eq(r->choices[0].place, REASONING_HIDDEN);
	reading_destroy(r);
	r = read_message("\"reasoning\":\"a\",\"content\":\"<think>b</think>c\"");
	cr_assert_eq(r->choices[0].place, REASONING_BOTH);
	expect_parts(&r->choices[0], "ab", "c");
	reading_destroy(r);
}

/* One token for each character, except for the marks. */
static void put_tokens(struct buf *b, const char *const *tokens, size_t n)
{
	buf_append_str(b, "\"logprobs\":{\"content\":[");
	for (size_t i = 0; i < n; i++) {
		buf_append_str(b, i ? ",{\"token\":" : "{\"token\":");
		json_put_string(b, span_of(tokens[i]));
		buf_append_str(b, ",\"logprob\":-0.5,\"top_logprobs\":[]}");
	}
	buf_append_str(b, "]}");
}

static void expect_flags(const char *message, const char *const *tokens, const char *flags)
{
	struct buf b = {0};
	size_t n = strlen(flags);
	buf_printf(&b, "{\"choices\":[{\"index\":0,\"message\":{%s},", message);
	put_tokens(&b, tokens, n);
	buf_append_str(&b, ",\"finish_reason\":\"stop\"}]}");
	struct reading *r = read_body(buf_span(&b), FRAMING_UNARY, true);
	const struct columns *c = &r->choices[0].columns;
	cr_assert_eq(c->n, n);
	for (size_t i = 0; i < n; i++) {
		uint8_t of = c->flags[i] & (TOKEN_OF_REASONING | TOKEN_OF_ANSWER);
		char is = of == TOKEN_OF_REASONING ? 'r' : of == TOKEN_OF_ANSWER ? 'a' : '-';
		cr_expect_eq(is, flags[i], "token %zu \"%s\" of {%s} is '%c', not '%c'", i,
		        tokens[i], message, is, flags[i]);
	}
	reading_destroy(r);
	buf_finish(&b);
}

Test(reasoning_marks, and_answers_know_their_tokens_by_the_text)
{
	static const char *const inline_tokens[] = {
	        "<think>", "\n", "so", "</think>", "\n\n", "Fo", "ur", ".", "<|im_end|>"};
	static const char *const halves[] = {"<", "think", ">so", "</", "think", ">\n\n", "Four."};
	static const char *const fields[] = {
	        "so", "</think>", "\n\n", "Fo", "ur", ".", "<|im_end|>"};
	static const char *const plain[] = {"Fo", "ur", ".", "<|im_end|>"};
	static const char *const call[] = {
	        "ok\n", "<tool_call>", "{\"name\":\"f\",", "\"arguments\":{}}", "</tool_call>"};
	expect_flags("\"content\":\"<think>\\nso</think>\\n\\nFour.\"", inline_tokens, "-rr-aaaa-");
	expect_flags("\"content\":\"<think>so</think>\\n\\nFour.\"", halves, "--r---a");
	expect_flags("\"reasoning_content\":\"so\",\"content\":\"Four.\"", fields, "r--aaa-");
	expect_flags("\"reasoning_content\":\"so\",\"content\":\"\\n\\nFour.\"", fields, "r-aaaa-");
	expect_flags("\"content\":\"Four.\"", plain, "aaa-");
	expect_flags("\"content\":\"Fuor.\"", plain, "----");
	expect_flags("\"content\":\"ok\\n<tool_call>{\\\"name\\\":\\\"f\\\",\\\"arguments\\\":{}}"
	             "</tool_call>\"",
	        call, "a----");
}
