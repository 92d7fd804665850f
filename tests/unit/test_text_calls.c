#include "answers/calls/text_calls.h"

#include "base/ascii.h"
#include "base/json.h"
#include "base/mem.h"
#include "tests/unit/readings.h"

/* Tools of a request: none; some with unknown names; these functions. */
static const struct reading_hints nothing = {.endpoint = ENDPOINT_CHAT, .status = 200};
static const struct reading_hints unknown = {
        .endpoint = ENDPOINT_CHAT, .status = 200, .has_tools = true};

static struct reading_hints offering(const char *first, const char *second)
{
	struct reading_hints h = unknown;
	offered_add(&h.offered, span_of(first));
	offered_add(&h.offered, span_of(second));
	return h;
}

static struct reading *read_content(const char *content, struct reading_hints hints)
{
	struct buf b = {0};
	buf_append_str(&b, "{\"choices\":[{\"index\":0,\"message\":{\"content\":");
	json_put_string(&b, span_of(content));
	buf_append_str(&b, "},\"finish_reason\":\"stop\"}]}");
	struct reading *r = read_with(hints, buf_cstr(&b));
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
static void expect_call(const char *content, struct reading_hints hints)
{
	struct reading *r = read_content(content, hints);
	const struct choice *c = &r->choices[0];
	cr_assert_eq(c->n_calls, 1, "%s", content);
	cr_expect_str_eq(c->calls[0].name, "f", "%s", content);
	cr_expect_str_eq(c->calls[0].arguments, "{\"a\":1}", "%s", content);
	cr_expect(c->calls[0].in_text);
	expect_answer(c, "");
	reading_destroy(r);
}

static void expect_none(const char *content, struct reading_hints hints)
{
	struct reading *r = read_content(content, hints);
	cr_expect_eq(r->choices[0].n_calls, 0, "%s", content);
	expect_answer(&r->choices[0], content);
	reading_destroy(r);
}

/* At least one for each family; each is the call f({"a":1}). */
static const char *const forms[] = {
        "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\":1}}\n</tool_call>",
        "<tool_call>{\"arguments\":\"{\\\"a\\\":1}\",\"name\":\"f\"}",
        "<tool_call>[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":{\"a\":1}}}]"
        "</tool_call>",
        "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>",
        "<function=f>\n<parameter=a>1</parameter></function>",
        "<function=f>{\"a\":1}</function>",
        "<seed:tool_call>\n<function=f>\n<parameter=a>1</parameter>\n</function>\n"
        "</seed:tool_call>",
        "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>",
        "<tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>",
        "<tool_calls>\n<tool_call>f<tool_sep>\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n"
        "</tool_call>\n</tool_calls>",
        "<tool_calls:opensource><tool_call:opensource>f<tool_sep:opensource>"
        "<arg_key:opensource>a</arg_key:opensource><arg_value:opensource>1"
        "</arg_value:opensource></tool_call:opensource></tool_calls:opensource>",
        "<tool_calls>[{\"name\": \"f\", \"arguments\": {\"a\":1}}]</tool_calls>",
        "<tool_calls>\n{\"name\": \"f\", \"arguments\": {\"a\":1}}\n</tool_calls>",
        "<longcat_tool_call>{\"name\": \"f\", \"arguments\": {\"a\":1}}</longcat_tool_call>",
        "<longcat_tool_call>f\n<longcat_arg_key>a</longcat_arg_key>\n<longcat_arg_value>1"
        "</longcat_arg_value>\n</longcat_tool_call>",
        "<minimax:tool_call>\n<invoke name=\"f\">\n<parameter name=\"a\">1</parameter>\n</invoke>\n"
        "</minimax:tool_call>",
        "]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"f\">]<]minimax[>[<a>1"
        "]<]minimax[>[</a>]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>",
        "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"f\">\n<｜DSML｜parameter name=\"a\" "
        "string=\"false\">1</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
        "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"f\">\n{\"a\":1}\n</｜DSML｜invoke>\n"
        "</｜DSML｜tool_calls>",
        "<function_calls>\n<invoke name=\"f\">\n<parameter name=\"a\">1</parameter>\n</invoke>\n"
        "</function_calls>",
        "<｜GCML｜tool_calls><｜GCML｜invoke name=\"f\"><｜GCML｜parameter name=\"a\" "
        "string=\"false\">1</｜GCML｜parameter></｜GCML｜invoke></｜GCML｜tool_calls>",
        "<atem:function_calls>\n<atem:invoke name=\"f\">\n<atem:parameter name=\"a\">1"
        "</atem:parameter>\n</atem:invoke>\n</atem:function_calls>",
        "<dots_function_call>\n<invoke name=\"f\">\n<parameter "
        "name=\"a\">1</parameter>\n</invoke>\n"
        "</dots_function_call>",
        "<ifm|tool_calls>\n<ifm|tool_call>f\n<ifm|arg_key>a</ifm|arg_key>\n<ifm|arg_value>1"
        "</ifm|arg_value>\n</ifm|tool_call>\n</ifm|tool_calls>",
        "<ifm|tool_calls><ifm|tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}</ifm|tool_call>"
        "</ifm|tool_calls>",
        "<ifm|tool_call>f\n<ifm|arg_key>a</ifm|arg_key>\n<ifm|arg_value>1</ifm|arg_value>\n"
        "</ifm|tool_call>",
        "<function name=\"f\"><param name=\"a\"><![CDATA[1]]></param></function>",
        "<function_calls>\nf(a=1)\n</function_calls>",
        "<|python_start|>[f(a=1)]<|python_end|>",
        "<|tool_call_start|>[f(a=1)]<|tool_call_end|>",
        "<|tool_call_start|>[{\"name\":\"f\",\"arguments\":{\"a\":1}}]<|tool_call_end|>",
        "<|tool_call|>[{\"name\":\"f\",\"arguments\":{\"a\":1}}]",
        "<|tool_call|>[{\"name\":\"f\",\"arguments\":{\"a\":1}}]<|/tool_call|>",
        "functools[{\"name\": \"f\", \"arguments\": {\"a\":1}}]",
        "<function_call> {\"name\": \"f\", \"arguments\": {\"a\":1}}",
        "[TOOL_CALLS][{\"name\": \"f\", \"arguments\": {\"a\":1}}]",
        "[TOOL_CALLS] f[ARGS]{\"a\":1}",
        "[TOOL_CALLS]f[CALL_ID]abcdefghi[ARGS]{\"a\":1}",
        "[TOOL_CALLS]f{\"a\":1}",
        "<|python_tag|>{\"name\":\"f\",\"parameters\":{\"a\":1}}",
        "<|START_ACTION|>[\n    {\"tool_call_id\": \"0\", \"tool_name\": \"f\", \"parameters\": "
        "{\"a\":1}}\n]<|END_ACTION|>",
        "<|action_start|><|plugin|>\n{\"name\": \"f\", \"parameters\": {\"a\":1}}<|action_end|>",
        "<|action_start|> <|plugin|>\n{\"name\": \"f\", \"parameters\": {\"a\":1}}<|action_end|>",
        "<|tools_prefix|>[{\"f\": {\"a\":1}}]<|tools_suffix|>",
        "<|function_call|>{\"name\": \"f\", \"arguments\": {\"a\":1}}</s>",
        "<|message_sep|>\n\nfunction call<|role_sep|>\n{\"name\": \"f\", \"arguments\": {\"a\":1}}",
        "<TOOLCALL>[{\"name\": \"f\", \"arguments\": {\"a\":1}}]</TOOLCALL>",
        "[unused11][{\"name\": \"f\", \"arguments\": {\"a\":1}}][unused12]",
        "<|tool_call>call:f{a:1}<tool_call|>",
        "<start_function_call>call:f{a:<escape>1<escape>}<end_function_call>",
        "<|tool_call:start|>f\n<|tool_arg:start|>a<|tool_arg:value|>1<|tool_arg:end|>\n"
        "<|tool_call:end|>",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{\"a\":1}\n``"
        "`"
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{\"a\":1}<｜tool▁call▁end｜>"
        "<｜tool▁calls▁end｜>",
        "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke "
        "name=\"f\">"
        "<steptml:parameter name=\"a\">1</steptml:parameter></steptml:invoke><｜tool_call_end｜>"
        "<｜tool_calls_end｜>",
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>"
        "{\"a\":1}<|tool_call_end|><|tool_calls_section_end|>",
        "<|open|>tools<|sep|><|open|>call tool=\"f\" index=\"1\"<|sep|><|open|>argument key=\"a\" "
        "type=\"number\"<|sep|>1<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>",
        "<|message_model|>f<|content_invoke_tool_json|>{\"name\":\"f\",\"args\":{\"a\":1}}"
        "<|end_message|>",
        "<|plamo:begin_tool_requests:plamo|><|plamo:begin_tool_request:plamo|>"
        "<|plamo:begin_tool_name:plamo|>f<|plamo:end_tool_name:plamo|>"
        "<|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>{\"a\":1}"
        "<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>"
        "<|plamo:end_tool_requests:plamo|>",
        "<|channel|>commentary to=functions.f <|constrain|>json<|message|>{\"a\":1}<|call|>",
        "<|start|>assistant<|channel|>commentary to=functions.f<|constrain|>json<|message|>"
        "{\"a\":1}<|call|>",
        "<|start|>assistant to=functions.f<|channel|>commentary json<|message|>{\"a\":1}<|call|>",
        "commentary to=functions.f json{\"a\":1}",
        "<tool_call>function\nf\n{\"a\":1}</tool_call>",
        "<tool_calls>\n<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>\n"
        "</tool_calls>",
        "<iquest_tool_call>f\n<arg_key>a</arg_key>\n<arg_value>1</arg_value></iquest_tool_call>",
        "<iquestcoder_tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value>"
        "</iquestcoder_tool_call>",
        "<｜DSML｜ calls>\n<｜DSML｜ invoke name=\"f\">{\"a\":1}</｜DSML｜ invoke>\n</｜DSML｜ "
        "calls>",
        "<invoke name=\"f\">\n<parameter name=\"a\">1</parameter>\n</invoke>",
        "<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>",
        "<|tool_call_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>"
        "{\"a\":1}<|tool_call_end|><|tool_call_section_end|>",
        "<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{\"a\":1}<|tool_call_end|>",
        "<｜tool▁call▁begin｜>function<｜tool▁sep｜>f```json{\"a\":1}```<｜tool▁call▁end｜>",
        "<|content_invoke_tool_json|>{\"name\":\"f\",\"args\":{\"a\":1}}<|end_message|>",
        "<|im_end|>\n<|im_start|>assistant -> tool/function_call\n"
        "[{\"name\":\"f\",\"arguments\":{\"a\":1}}]",
        "-> tool/function_call\n[{\"name\":\"f\",\"arguments\":{\"a\":1}}]<|im_end|>",
        "**Tool Call:**\n```json\n{\"name\":\"f\",\"arguments\":{\"a\":1}}\n```",
        "Action: ```json\n[\n{\"tool_name\":\"f\",\"parameters\":{\"a\":1}}\n]\n```",
        "Action:```json\n{\"tool_name\":\"f\",\"parameters\":{\"a\":1}}\n```",
};

/* The same calls without a mark. */
static const char *const bare[] = {
        "{\"name\":\"f\",\"parameters\":{\"a\":1}}",
        "{\"type\":\"function\",\"name\":\"f\",\"parameters\":{\"a\":1}}",
        "[{\"name\":\"f\",\"arguments\":{\"a\":1}}]",
        "[f(a=1)]",
        "{\"tool_calls\":[{\"name\":\"f\",\"arguments\":{\"a\":1}}]}",
        "{\"tool_call\":{\"name\":\"f\",\"arguments\":{\"a\":1}}}",
        "```json\n[{\"name\":\"f\",\"arguments\":{\"a\":1}}]\n```",
        "```tool_code\nf(a=1)\n```",
};

Test(text_calls, of_every_form_are_found)
{
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		expect_call(forms[i], offering("f", "g"));
		expect_call(forms[i], unknown);
	}
	for (size_t i = 0; i < ARRAY_LEN(bare); i++) {
		expect_call(bare[i], offering("f", "g"));
		expect_none(bare[i], unknown);
	}
}

Test(text_calls, count_only_where_the_request_offered_that_function)
{
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		expect_none(forms[i], nothing);
		expect_none(forms[i], offering("g", "F"));
	}
	for (size_t i = 0; i < ARRAY_LEN(bare); i++) {
		expect_none(bare[i], nothing);
		expect_none(bare[i], offering("g", "F"));
	}
}

static void expect_beside(
        const char *before, const char *form, const char *after, const char *answer)
{
	char *text = xasprintf("%s%s%s", before, form, after);
	struct reading *r = read_content(text, offering("f", "g"));
	cr_expect_eq(r->choices[0].n_calls, 1, "%s", text);
	expect_answer(&r->choices[0], answer);
	reading_destroy(r);
	free(text);
}

Test(text_calls, may_stand_beside_other_text)
{
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		expect_beside("Let me see.\n", forms[i], "", "Let me see.");
		expect_beside("", forms[i], "\n", "");
		expect_beside("<think>hm</think>", forms[i], "", "");
	}
	expect_beside("", forms[0], "\nDone.", "Done.");
	expect_beside("I look.", "[TOOL_CALLS]f{\"a\":1}", "", "I look.");
	/* A chat template writes a tag directly after the text, without a line end. */
	expect_beside("I look.", forms[0], "", "I look.");
	expect_beside("I look.",
	        "<tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>", "",
	        "I look.");
	/* An engine that keeps special tokens leaves the end of the message. */
	expect_beside("", forms[0], "<|im_end|>", "");
	expect_beside("", "[TOOL_CALLS]f{\"a\":1}", "</s>", "");
	expect_beside("", "[TOOL_CALLS]f{\"a\":1}", "</s> Paris", "Paris");
	expect_beside("", forms[0], "</s> Paris", "Paris");
	/* LFM2 goes on without a blank. */
	expect_beside("", "<|tool_call_start|>[f(a=1)]<|tool_call_end|>", "Checking.", "Checking.");
}

Test(text_calls, that_are_spoken_of_are_text)
{
	static const struct {
		const char *before, *after;
	} frames[] = {
	        {"Models write ", " like this."},
	        {"Write `", "` for a call."},
	        {"\"", "\""},
	        {"```\n", "\n```"},
	        {"~~~json\n", "\n~~~\nis a call"},
	        {"", " is how Qwen calls a function."},
	        {"So:\n    ", "\nis indented code."},
	};
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		for (size_t k = 0; k < ARRAY_LEN(frames); k++) {
			char *text =
			        xasprintf("%s%s%s", frames[k].before, forms[i], frames[k].after);
			/* A mark that is a special token need not begin a line. */
			bool is_token = strchr("<[]", *forms[i]) && k == 6;
			/* After the end of the message nothing speaks of the call. */
			struct span form = span_of(forms[i]);
			bool is_end = k == 5 && span_ends(form, "<|im_end|>");
			struct reading *r = read_content(text, offering("f", "g"));
			cr_expect(is_token || is_end || r->choices[0].n_calls == 0, "%s", text);
			reading_destroy(r);
			free(text);
		}
	}
	/* Neither Chinese nor markup has blanks around a mention. */
	static const struct {
		const char *before, *after;
	} unspaced[] = {
	        {"你可以使用", "来调用工具。"},
	        {"", "来调用工具。"},
	        {"Format:", "then stop."},
	        {"x (", "\n)"},
	        {"<li>", "\n</li>"},
	        {"例如：", "\n"},
	        {"Format:\"", "\n\""},
	};
	for (size_t k = 0; k < ARRAY_LEN(unspaced); k++) {
		char *text = xasprintf("%s%s%s", unspaced[k].before, forms[0], unspaced[k].after);
		expect_none(text, offering("f", "g"));
		free(text);
	}
	for (size_t i = 0; i < ARRAY_LEN(bare); i++) {
		for (size_t k = 0; k < ARRAY_LEN(frames); k++) {
			char *text =
			        xasprintf("%s%s%s", frames[k].before, bare[i], frames[k].after);
			expect_none(text, offering("f", "g"));
			free(text);
		}
	}
}

Test(text_calls, name_the_function_as_it_was_offered)
{
	static const char call[] =
	        "<tool_call>{\"name\":\"functions.f\",\"arguments\":{}}</tool_call>";
	struct reading *r = read_content(call, offering("functions.f", "g"));
	cr_assert_eq(r->choices[0].n_calls, 1);
	cr_expect_str_eq(r->choices[0].calls[0].name, "functions.f");
	reading_destroy(r);
	r = read_content(call, offering("f", "g"));
	cr_assert_eq(r->choices[0].n_calls, 1);
	cr_expect_str_eq(r->choices[0].calls[0].name, "f");
	reading_destroy(r);
}

Test(text_calls, may_be_several_and_follow_a_thought)
{
	struct reading *r =
	        read_content("<think>two</think>\n"
	                     "<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>\n"
	                     "<tool_call>{\"name\":\"g\",\"arguments\":{}}</tool_call>",
	                offering("f", "g"));
	const struct choice *c = &r->choices[0];
	cr_assert_eq(c->n_calls, 2);
	cr_assert_str_eq(c->calls[1].name, "g");
	cr_assert_eq(c->n_thoughts, 1);
	expect_answer(c, "");
	reading_destroy(r);
	static const char *const texts[] = {
	        "<|python_tag|>{\"name\":\"f\",\"parameters\":{}};{\"name\":\"g\",\"parameters\":{}"
	        "}",
	        "{\"name\":\"f\",\"parameters\":{}}; {\"name\":\"g\",\"parameters\":{}}",
	        "[f(), g(a='x')]",
	        "<function_calls>\nf()\ng(a=[1, {'b': None}])\n</function_calls>",
	        "<tool_calls>\n{\"name\":\"f\",\"arguments\":{}}\n{\"name\":\"g\",\"arguments\":{}}"
	        "\n"
	        "</tool_calls>",
	        "[TOOL_CALLS]f[ARGS]{}[TOOL_CALLS]g[ARGS]{}",
	        "<|tool_call>call:f{}<tool_call|><|tool_call>call:g{}<tool_call|>",
	        "<function_call> {\"name\":\"f\",\"arguments\":{}} <function_call> "
	        "{\"name\":\"g\",\"arguments\":{}}",
	};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		r = read_content(texts[i], offering("f", "g"));
		cr_assert_eq(r->choices[0].n_calls, 2, "%s", texts[i]);
		cr_assert_str_eq(r->choices[0].calls[1].name, "g", "%s", texts[i]);
		expect_answer(&r->choices[0], "");
		reading_destroy(r);
	}
}

Test(text_calls, without_a_mark_hold_nothing_else)
{
	expect_none("{\"name\":\"f\",\"age\":3}", offering("f", "g"));
	expect_none("{\"name\":\"f\"}", offering("f", "g"));
	expect_none("{\"name\":\"f\",\"parameters\":{},\"note\":1}", offering("f", "g"));
	expect_none("[f(a=1), 2]", offering("f", "g"));
	expect_none("[f(1)]", offering("f", "g"));
	expect_none("f(a=1)", offering("f", "g"));
	expect_none("```python\nf(a=1)\n```", offering("f", "g"));
	expect_none("```json\n{\"name\":\"f\",\"parameters\":{}}\n```\nCall it so.",
	        offering("f", "g"));
	expect_none("```json\n```", offering("f", "g"));
	expect_none("{\"tool_calls\":[],\"note\":1}", offering("f", "g"));
	expect_none("{\"tool_calls\":[{\"name\":\"f\",\"parameters\":{}}],\"note\":1}",
	        offering("f", "g"));
	expect_none("Sure: {\"name\":\"f\",\"parameters\":{}}", offering("f", "g"));
}

Test(text_calls, have_arguments_in_each_notation)
{
	static const struct {
		const char *text, *arguments;
	} calls[] = {
	        {"[f(a='it\\'s', b=-1.5, c=True, d=None, e=[1, 'x'], g={'k': (1,)})]",
	                "{\"a\":\"it's\",\"b\":-1.5,\"c\":true,\"d\":null,\"e\":[1,\"x\"],\"g\":{"
	                "\"k\":"
	                "[1]}}"},
	        {"<|tool_call>call:f{a:<|\"|>x, "
	         "{y}<|\"|>,b:[1,true],c:{d:<|\"|>1<|\"|>}}<tool_call|>",
	                "{\"a\":\"x, {y}\",\"b\":[1,true],\"c\":{\"d\":\"1\"}}"},
	        {"<｜DSML｜function_calls><｜DSML｜invoke name=\"f\"><｜DSML｜parameter name=\"a\" "
	         "string=\"true\">1</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>",
	                "{\"a\":\"1\"}"},
	        {"<function=f><parameter=a>\"x\"</parameter><parameter=b>[1, 2]</parameter>"
	         "<parameter=c>\nline \"1\"\nline 2\n</parameter></function>",
	                "{\"a\":\"\\\"x\\\"\",\"b\":[1, 2],\"c\":\"line \\\"1\\\"\\nline 2\"}"},
	        {"<tool_call>f</tool_call>", "{}"},
	        {"[f(a='\\x41\\u00e9\\U0001f98a\\ud83d\\U00110000\\x4', b=1,)]",
	                "{\"a\":\"A\u00e9\U0001f98a\\\\ud83d\\\\U00110000\\\\x4\",\"b\":1}"},
	        {"<function=f><parameter=a>\n<![CDATA[x < y]]>\n</parameter></function>",
	                "{\"a\":\"x < y\"}"},
	        {"<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n<parameter=b>\nx\n"
	         "</function>\n</tool_call>",
	                "{\"a\":1,\"b\":\"x\"}"},
	        {"<tool_calls:6124c78e>\n<tool_call:6124c78e>f\n<arg_key:6124c78e>a"
	         "</arg_key:6124c78e>\n<arg_value:6124c78e>1</arg_value:6124c78e>\n"
	         "</tool_call:6124c78e>\n</tool_calls:6124c78e>",
	                "{\"a\":1}"},
	        /* The suffix in a value is text. */
	        {"<tool_calls:x><tool_call:x>f<tool_sep:x><arg_key:x>a</"
	         "arg_key:x><arg_value:x>b:x>c"
	         "</arg_value:x></tool_call:x></tool_calls:x>",
	                "{\"a\":\"b:x>c\"}"},
	};
	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		struct reading *r = read_content(calls[i].text, offering("f", "g"));
		cr_assert_eq(r->choices[0].n_calls, 1, "%s", calls[i].text);
		cr_expect_str_eq(r->choices[0].calls[0].arguments, calls[i].arguments);
		reading_destroy(r);
	}
	struct reading *r = read_content(
	        "<tool_call>{\"name\":\"f\",\"arguments\":null}</tool_call>", offering("f", "g"));
	cr_assert_eq(r->choices[0].n_calls, 1);
	cr_expect_null(r->choices[0].calls[0].arguments);
	reading_destroy(r);
}

Test(text_calls, are_not_what_an_answer_says_about_them)
{
	static const char *const texts[] = {
	        "<tool_call> is a tag",
	        "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":",
	        "<tool_call>{\"arguments\":{}}</tool_call>",
	        "<tool_call>what a fine day\n</tool_call>",
	        "<function=f>\n<parameter=a>\n1",
	        "[TOOL_CALLS] are a mark",
	        "<|python_tag|>print(1)",
	        "<｜tool▁calls▁begin｜>",
	        "functools is a module of Python",
	        "functools[1, 2]",
	        "commentary to=the editor",
	        "<tool_calls:><tool_call:>f<tool_sep:></tool_call:></tool_calls:>",
	        "<function_calls>\nnothing\n</function_calls>",
	};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		expect_none(texts[i], offering("f", "g"));
		expect_none(texts[i], unknown);
	}
}

/* A model at times forgets the closing mark of an argument. The mark of a later argument does not
 * close it. */
Test(text_calls, keep_their_arguments_if_a_closing_mark_is_missing)
{
	static const char open[] =
	        "<tool_call>\n<function=f>\n<parameter=b>\n1\n</function>\n</tool_call>";
	static const char *const second[] = {
	        "<tool_call><function=f><parameter=a>2</parameter></function></tool_call>",
	        "<tool_call><function=f><parameter=a>2</function></tool_call>"};
	for (size_t i = 0; i < ARRAY_LEN(second); i++) {
		char *text = xasprintf("%s\n%s", open, second[i]);
		struct reading *r = read_content(text, offering("f", "g"));
		const struct choice *c = &r->choices[0];
		cr_assert_eq(c->n_calls, 2, "%s", text);
		cr_expect_str_eq(c->calls[0].arguments, "{\"b\":1}", "%s", text);
		cr_expect_str_eq(c->calls[1].arguments, "{\"a\":2}", "%s", text);
		expect_answer(c, "");
		reading_destroy(r);
		free(text);
	}
	/* The value may contain the end of the call. */
	struct reading *r =
	        read_content("<function=f><parameter=a>x</function>\ny</parameter></function>",
	                offering("f", "g"));
	cr_assert_eq(r->choices[0].n_calls, 1);
	cr_expect_str_eq(r->choices[0].calls[0].arguments, "{\"a\":\"x</function>\\ny\"}");
	reading_destroy(r);
	expect_none("<function=f><parameter=b>1 <parameter=c>2</parameter></function>",
	        offering("f", "g"));
	expect_none("<tool_call>f<arg_key>a</arg_key><arg_value>1<arg_key>b</arg_key><arg_value>2"
	            "</arg_value></tool_call>",
	        offering("f", "g"));
}

static bool begins_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

/* An answer may end within a call, by its limit of tokens. */
static void expect_text_or_call(const char *form, size_t len)
{
	char *cut = xstrndup(form, len);
	struct reading *r = read_content(cut, offering("f", "g"));
	const struct choice *c = &r->choices[0];
	const char *argument = strrchr(form, '1');
	argument = argument[1] == '2' ? strstr(form, ":1") : argument;
	bool whole = argument < form + len;
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
			expect_none(broken, offering("f", "g"));
		}
		free(broken);
	}
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

/* Reads a text that is repeated many times, to test the time that searches ahead take. */
static void read_many(const char *piece, int n)
{
	struct buf b = {0};
	for (int i = 0; i < n; i++) {
		buf_append_str(&b, piece);
	}
	struct reading *r = read_content(buf_cstr(&b), offering("f", "g"));
	cr_assert_leq(r->choices[0].n_calls, READING_CALLS_LIMIT);
	reading_destroy(r);
	buf_finish(&b);
}

Test(text_calls, of_a_hostile_text_take_bounded_time, .timeout = 60)
{
	static const char *const pieces[] = {"\n<tool_call>{\"name\":[", "[", "[f(a=[",
	        "[f(a={'b':", "<|tool_call>call:f{a:[", "\n<function=f><parameter=a>",
	        "commentary to=functions.f ", "<tool_call>f<arg_key>a</arg_key><arg_value>",
	        "[f(),", "\n<tool_call>"};
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		read_many(forms[i], 20000);
	}
	for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
		read_many(pieces[i], 20000);
	}
	/* Mentioned calls; a reader might search for the end of each line. */
	read_many("x<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>{}<"
	          "｜tool▁call▁end｜>"
	          "<｜tool▁calls▁end｜> x",
	        100000);
	/* Mentioned calls, of which each lacks a closing mark. */
	read_many(" <function=f> <parameter=b>1</function> x", 60000);
	read_many(" <invoke name=\"f\"> <parameter name=\"b\">1</invoke> x", 60000);
	read_many("x\t   ", 200000);
	read_many(" ", 1000000);
}
