#include "reading/text_calls.h"

#include "base/json.h"
#include "base/mem.h"
#include "tests/unit/readings.h"

static struct reading *read_content(const char *content, bool has_tools)
{
	struct buf b = {0};
	buf_append_str(&b, "{\"choices\":[{\"index\":0,\"message\":{\"content\":");
	json_put_string(&b, span_of(content));
	buf_append_str(&b, "},\"finish_reason\":\"stop\"}]}");
	struct reading *r = read_with(
	        (struct reading_hints){
	                .endpoint = ENDPOINT_CHAT, .status = 200, .has_tools = has_tools},
	        buf_cstr(&b));
	buf_finish(&b);
	assert_text(&r->choices[0].text, content);
	return r;
}

static void expect_answer(const struct choice *c, const char *answer)
{
	struct buf b = {0};
	choice_answer(c, &b);
	cr_expect_str_eq(
	        buf_cstr(&b), answer, "\"%s\" of \"%.*s\"", b.data, (int)c->text.len, c->text.data);
	buf_finish(&b);
}

/* One call f({"a":1}), and nothing else. */
static void expect_call(const char *content, bool has_tools)
{
	struct reading *r = read_content(content, has_tools);
	const struct choice *c = &r->choices[0];
	cr_assert_eq(c->n_calls, 1, "%s", content);
	cr_expect_str_eq(c->calls[0].name, "f", "%s", content);
	cr_expect_str_eq(c->calls[0].arguments, "{\"a\":1}", "%s", content);
	cr_expect(c->calls[0].in_text);
	expect_answer(c, "");
	reading_destroy(r);
}

static void expect_none(const char *content, bool has_tools)
{
	struct reading *r = read_content(content, has_tools);
	cr_expect_eq(r->choices[0].n_calls, 0, "%s", content);
	expect_answer(&r->choices[0], content);
	reading_destroy(r);
}

static const char *const forms[] = {
        "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\":1}}\n</tool_call>",
        "<tool_call>{\"arguments\":\"{\\\"a\\\":1}\",\"name\":\"f\"}",
        "<|tool_call|>[{\"name\":\"f\",\"arguments\":{\"a\":1}}]",
        "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>",
        "<function=f>\n<parameter=a>1</parameter></function>",
        "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>",
        "[TOOL_CALLS][{\"name\": \"f\", \"arguments\": {\"a\":1}}]",
        "[TOOL_CALLS] f[ARGS]{\"a\":1}",
        "[TOOL_CALLS]f{\"a\":1}",
        "<|python_tag|>{\"name\":\"f\",\"parameters\":{\"a\":1}}",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{\"a\":1}\n``"
        "`"
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{\"a\":1}<｜tool▁call▁end｜>"
        "<｜tool▁calls▁end｜>",
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>"
        "{\"a\":1}<|tool_call_end|><|tool_calls_section_end|>",
};

Test(text_calls, of_every_form_are_found_where_the_text_is_nothing_else)
{
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		expect_call(forms[i], false);
		expect_call(forms[i], true);
	}
}

Test(text_calls, beside_other_text_count_where_tools_were_offered)
{
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		struct buf b = {0};
		buf_printf(&b, "Let me see.\n%s", forms[i]);
		expect_none(buf_cstr(&b), false);
		struct reading *r = read_content(buf_cstr(&b), true);
		cr_expect_eq(r->choices[0].n_calls, 1, "%s", b.data);
		expect_answer(&r->choices[0], "Let me see.");
		reading_destroy(r);
		buf_finish(&b);
	}
}

Test(text_calls, may_be_several_and_follow_a_thought)
{
	struct reading *r =
	        read_content("<think>two</think>\n"
	                     "<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>\n"
	                     "<tool_call>{\"name\":\"g\",\"arguments\":{}}</tool_call>",
	                false);
	const struct choice *c = &r->choices[0];
	cr_assert_eq(c->n_calls, 2);
	cr_assert_str_eq(c->calls[1].name, "g");
	cr_assert_eq(c->n_thoughts, 1);
	expect_answer(c, "");
	reading_destroy(r);
	r = read_content("<|python_tag|>{\"name\":\"f\",\"parameters\":{}};{\"name\":\"g\","
	                 "\"parameters\":{}}",
	        true);
	cr_assert_eq(r->choices[0].n_calls, 2);
	reading_destroy(r);
}

Test(text_calls, of_llama_may_be_a_bare_object_where_tools_were_offered)
{
	expect_call("{\"name\":\"f\",\"parameters\":{\"a\":1}}", true);
	expect_none("{\"name\":\"f\",\"parameters\":{\"a\":1}}", false);
	expect_none("{\"name\":\"Ann\",\"age\":3}", true);
	expect_none("{\"name\":\"Ann\"}", true);
}

Test(text_calls, are_not_what_an_answer_says_about_them)
{
	static const char *const texts[] = {
	        "Write <tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call> like this.",
	        "```\n<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>\n```",
	        "<tool_call> is a tag",
	        "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":",
	        "<tool_call>{\"arguments\":{}}</tool_call>",
	        "<function=f>\n<parameter=a>\n1",
	        "[TOOL_CALLS] are a mark",
	        "<|python_tag|>print(1)",
	        "<｜tool▁calls▁begin｜>",
	};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		expect_none(texts[i], true);
	}
}

static bool begins_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

/* An answer may end within a call, by its limit of tokens. */
static void expect_text_or_call(const char *form, size_t len)
{
	char *cut = xstrndup(form, len);
	struct reading *r = read_content(cut, true);
	const struct choice *c = &r->choices[0];
	bool whole =
	        strstr(cut, "1}") || strstr(cut, "</parameter>") || strstr(cut, "</arg_value>");
	cr_expect(c->n_calls <= whole, "%s", cut);
	if (c->n_calls == 0) {
		expect_answer(c, cut);
	}
	reading_destroy(r);
	free(cut);
}

Test(text_calls, that_break_off_anywhere_are_text)
{
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		for (size_t n = 1; forms[i][n]; n++) {
			if (begins_character(forms[i][n])) {
				expect_text_or_call(forms[i], n);
			}
		}
	}
}

Test(text_calls, whose_arguments_are_no_json_are_text)
{
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		char *broken = xstrdup(forms[i]);
		for (char *p = broken; (p = strstr(p, "{\"a\":1}"));) {
			memcpy(p, "{\"a\" 1}", 7);
		}
		if (strcmp(broken, forms[i]) != 0) {
			expect_none(broken, true);
		}
		free(broken);
	}
}

Test(text_calls, of_code_have_parameters_that_are_json_or_strings)
{
	struct reading *r = read_content(
	        "<function=f><parameter=a>\"x\"</parameter><parameter=b>[1, 2]</parameter>"
	        "<parameter=c>\nline \"1\"\nline 2\n</parameter></function>",
	        true);
	cr_assert_str_eq(r->choices[0].calls[0].arguments,
	        "{\"a\":\"\\\"x\\\"\",\"b\":[1, 2],\"c\":\"line \\\"1\\\"\\nline 2\"}");
	reading_destroy(r);
}

Test(text_calls, are_not_looked_for_where_the_engine_gave_calls)
{
	struct reading *r = read_body(CHOICE("\"message\":{\"content\":\"<tool_call>{\\\"name\\\":"
	                                     "\\\"g\\\",\\\"arguments\\\":{}}"
	                                     "</"
	                                     "tool_call>\",\"tool_calls\":[{\"function\":{\"name\":"
	                                     "\"f\",\"arguments\":\"{}\"}}]}"));
	cr_assert_eq(r->choices[0].n_calls, 1);
	cr_assert_str_eq(r->choices[0].calls[0].name, "f");
	cr_assert_not(r->choices[0].calls[0].in_text);
	reading_destroy(r);
}

Test(text_calls, of_a_hostile_text_take_bounded_time)
{
	struct buf b = {0};
	for (int i = 0; i < 20000; i++) {
		buf_append_str(&b, "\n<tool_call>{\"name\":[");
	}
	struct reading *r = read_content(buf_cstr(&b), true);
	cr_assert_eq(r->choices[0].n_calls, 0);
	reading_destroy(r);
	buf_finish(&b);
}
