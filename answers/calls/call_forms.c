#include "answers/calls/call_forms.h"

#include <stdio.h>

#include "base/json.h"
#include "answers/calls/call_syntax.h"
#include "answers/json_key.h"
#include "answers/calls/notation.h"

#define SUFFIX_LIMIT 64

enum form_flag {
	FORM_TEXT = 1 << 0,   /* its mark is plain text, not a special token */
	FORM_JSON = 1 << 1,   /* {"name": ..., "arguments": ...}, or a list of these */
	FORM_KEYED = 1 << 2,  /* [{NAME: {...}}, ...] */
	FORM_PYTHON = 1 << 3, /* [f(a=1), g()], or one a line */
	FORM_OPEN = 1 << 4,   /* the closing mark may be missing */
	FORM_WHOLE = 1 << 5,  /* its mark is part of the call */
};

struct call_form {
	const char *begin, *end; /* end: NULL if nothing closes it */
	unsigned flags;
	const struct call_syntax *syntax[3]; /* syntaxes of one call, tried in this order */
	/* reader of a call with a syntax of its own */
	bool (*read)(struct call_list *l, struct cursor *at);
};

/* Mistral: NAME, an id, and arguments. The marks between them exist only in newer models. */
static bool read_mistral(struct call_list *l, struct cursor *at)
{
	struct span name, id = {0}, arguments;
	const char *from = at->p;
	while (at->p < at->end && *at->p != '[' && *at->p != '{' && !is_space(*at->p)) {
		at->p++;
	}
	name = (struct span){from, (size_t)(at->p - from)};
	if (cursor_accept(at, "[CALL_ID]")) {
		from = at->p;
		while (at->p < at->end && is_alnum(*at->p)) {
			at->p++;
		}
		id = (struct span){from, (size_t)(at->p - from)};
	}
	(void)cursor_accept(at, "[ARGS]");
	return call_syntax_json(at, &arguments) && call_list_add(l, id, name, arguments);
}

/* Gemma: call:NAME{...} */
static bool read_gemma(struct call_list *l, struct cursor *at, const struct gemma *g)
{
	struct buf arguments = {0};
	const char *from = at->p + strlen("call:");
	bool ok = cursor_accept(at, "call:");
	while (ok && at->p < at->end && *at->p != '{' && *at->p != '<' && !is_space(*at->p)) {
		at->p++;
	}
	struct span name = {from, ok ? (size_t)(at->p - from) : 0};
	ok = ok && notation_gemma_object(at, g, &arguments) &&
	     call_list_add(l, (struct span){0}, name, buf_span(&arguments));
	buf_finish(&arguments);
	return ok;
}

static bool read_gemma4(struct call_list *l, struct cursor *at)
{
	return read_gemma(l, at, &(struct gemma){"<|\"|>", false});
}

static bool read_functiongemma(struct call_list *l, struct cursor *at)
{
	return read_gemma(l, at, &(struct gemma){"<escape>", true});
}

/* gpt-oss, after "to=": functions.NAME, the rest of a header, and the arguments. */
static bool read_harmony(struct call_list *l, struct cursor *at)
{
	struct span name, rest, arguments;
	const char *from = at->p;
	while (at->p < at->end && *at->p != '<' && !is_space(*at->p)) {
		at->p++;
	}
	name = (struct span){from, (size_t)(at->p - from)};
	struct cursor header = {at->p, at->p + MIN(at->end - at->p, 100)};
	if (cursor_until(&header, "<|message|>", &rest) && !memchr(rest.data, '{', rest.len)) {
		at->p = header.p;
	} else {
		/* Here the header lacks its special tokens. */
		(void)(cursor_accept_next(at, "json") || cursor_accept_next(at, "code"));
	}
	if (!call_syntax_json(at, &arguments) ||
	        !call_list_add(l, (struct span){0}, name, arguments)) {
		return false;
	}
	(void)(cursor_accept_next(at, "<|call|>") || cursor_accept_next(at, "<|end|>"));
	return true;
}

static bool read_elements(const struct call_form *f, struct call_list *l, struct cursor *at);

/* Hunyuan, after "<tool_calls:": all marks of a block have the same suffix, of the model's own. */
static bool read_suffixed(struct call_list *l, struct cursor *at)
{
	static const char *const tags[] = {"<tool_call", "<tool_sep", "<arg_key", "</arg_key",
	        "<arg_value", "</arg_value", "</tool_call", "</tool_calls"};
	char marks[ARRAY_LEN(tags)][SUFFIX_LIMIT + 16];
	struct cursor window = {at->p, at->p + MIN(at->end - at->p, SUFFIX_LIMIT)};
	struct span suffix;
	if (!cursor_until(&window, ">", &suffix) || suffix.len == 0) {
		return false;
	}
	at->p = window.p;
	for (size_t i = 0; i < ARRAY_LEN(tags); i++) {
		(void)snprintf(marks[i], sizeof(marks[i]), "%s:%.*s>", tags[i], (int)suffix.len,
		        suffix.data);
	}
	const struct call_syntax hunyuan = {marks[0], marks[1], "", marks[2], marks[3], marks[4],
	                                 marks[5], marks[6]},
	                         hunyuan4 = {marks[0], NULL, "", marks[2], marks[3], marks[4],
	                                 marks[5], marks[6]};
	const struct call_form form = {"", marks[7], FORM_TEXT, {&hunyuan, &hunyuan4}};
	return read_elements(&form, l, at);
}

/* Tokens that end a message. */
static const char *const end_tokens[] = {"<|eom_id|>", "<|eot_id|>", "<|im_end|>", "<|endoftext|>",
        "</s>", "<|eom|>", "<|eot|>", "<|end|>", "<end_of_turn>", "<turn|>", "<|tool_response>",
        "<|end_of_text|>", "<|assistant_end|>", "<|endofturn|>", "<｜end▁of▁sentence｜>",
        "<|END_OF_TURN_TOKEN|>"};

/* Ordinary text should hardly ever contain a mark: text_calls.c gives up after FAILURES_LIMIT marks
 * that introduce no call. */
static const struct call_form forms[] = {
        /* Hermes, Qwen, Granite 4, Ernie; Qwen3-Coder, MiMo, Step-3.5; Step-Audio 2; GLM, Ling,
         * Laguna, Spark */
        {"<tool_call>", "</tool_call>", FORM_TEXT | FORM_JSON,
                {&syntax_function, &syntax_step_audio, &syntax_glm}},
        {"<function=", "</tool_call>", FORM_TEXT | FORM_WHOLE, {&syntax_function}},
        {"<function name=\"", NULL, FORM_TEXT | FORM_WHOLE, {&syntax_minicpm}},
        /* Jamba, Apriel; Hunyuan 3; Hunyuan 4 */
        {"<tool_calls>", "</tool_calls>", FORM_TEXT | FORM_JSON,
                {&syntax_hunyuan, &syntax_hunyuan4}},
        {"<tool_calls:", NULL, FORM_TEXT, {NULL}, read_suffixed},
        {"<iquest_tool_call>", "</iquest_tool_call>", FORM_TEXT, {&syntax_glm}},
        {"<iquestcoder_tool_call>", "</iquestcoder_tool_call>", FORM_TEXT, {&syntax_glm}},
        {"<|tool_call|>", "<|/tool_call|>", FORM_JSON | FORM_OPEN}, /* Granite 3, Phi-4 mini */
        {"functools[", NULL, FORM_TEXT | FORM_JSON | FORM_WHOLE},   /* Phi-4 mini */
        {"<function_call>", "</function_call>",
                FORM_TEXT | FORM_JSON | FORM_OPEN}, /* Granite 20b */
        {"<function_calls>", "</function_calls>", FORM_TEXT | FORM_PYTHON,
                {&syntax_invoke}}, /* OLMo 3; DeepSeek without DSML */
        {"<｜DSML｜function_calls>", "</｜DSML｜function_calls>", 0, {&syntax_dsml}},
        {"<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>", 0, {&syntax_dsml}},
        {"<｜DSML｜ calls>", "</｜DSML｜ calls>", 0, {&syntax_dsml41}},         /* DeepSeek V4.1 */
        {"<｜GCML｜tool_calls>", "</｜GCML｜tool_calls>", 0, {&syntax_gcml}},   /* GigaChat 3.5 */
        {"<atem:function_calls>", "</atem:function_calls>", 0, {&syntax_atem}}, /* Muse */
        {"<minimax:tool_call>", "</minimax:tool_call>", FORM_TEXT, {&syntax_invoke}}, /* M2 */
        {"<invoke name=\"", NULL, FORM_TEXT | FORM_WHOLE, {&syntax_invoke}},
        {"]<]minimax[>[<tool_call>", "]<]minimax[>[</tool_call>", 0, {&syntax_minimax3}},
        {"<dots_function_call>", "</dots_function_call>", FORM_TEXT | FORM_JSON, {&syntax_invoke}},
        {"<seed:tool_call>", "</seed:tool_call>", FORM_TEXT, {&syntax_function}},
        {"<longcat_tool_call>", "</longcat_tool_call>", FORM_TEXT | FORM_JSON, {&syntax_longcat}},
        /* K2 Horizon */
        {"<ifm|tool_calls>", "</ifm|tool_calls>", 0, {&syntax_ifm_json, &syntax_ifm}},
        {"<ifm|tool_call>", NULL, FORM_WHOLE, {&syntax_ifm_json, &syntax_ifm}},
        {"<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", FORM_OPEN,
                {&syntax_deepseek3, &syntax_deepseek31}},
        {"<｜tool▁call▁begin｜>", NULL, FORM_WHOLE, {&syntax_deepseek3, &syntax_deepseek31}},
        {"<｜tool_calls_begin｜>", "<｜tool_calls_end｜>", FORM_OPEN, {&syntax_step3}},
        {"<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", FORM_OPEN, {&syntax_kimi2}},
        {"<|tool_call_section_begin|>", "<|tool_call_section_end|>", FORM_OPEN, {&syntax_kimi2}},
        {"<|tool_call_begin|>", NULL, FORM_WHOLE, {&syntax_kimi2}},
        {"<|open|>tools<|sep|>", "<|close|>tools<|sep|>", FORM_OPEN, {&syntax_kimi3}},
        {"<|tool_call:start|>", "<|tool_call:end|>", 0, {&syntax_solar}},
        {"<|plamo:begin_tool_requests:plamo|>", "<|plamo:end_tool_requests:plamo|>", 0,
                {&syntax_plamo}},
        {"[TOOL_CALLS]", NULL, FORM_JSON, {NULL}, read_mistral},
        {"<|python_tag|>", NULL, FORM_JSON},                                         /* Llama 3.1 */
        {"<|python_start|>", "<|python_end|>", FORM_JSON | FORM_PYTHON},             /* Llama 4 */
        {"<|tool_call_start|>\n```python\n", "```\n<|tool_call_end|>", FORM_PYTHON}, /* MiniCPM */
        {"<|tool_call_start|>", "<|tool_call_end|>", FORM_JSON | FORM_PYTHON},       /* LFM2 */
        {"<|START_ACTION|>", "<|END_ACTION|>", FORM_JSON},                           /* Command */
        {"<|action_start|><|plugin|>", "<|action_end|>", FORM_JSON},                 /* InternLM */
        {"<|action_start|> <|plugin|>", "<|action_end|>", FORM_JSON},
        {"<|tools_prefix|>", "<|tools_suffix|>", FORM_KEYED}, /* Apertus */
        {"<|function_call|>", "</s>", FORM_JSON | FORM_OPEN}, /* GigaChat 3 */
        {"<|message_sep|>\n\nfunction call<|role_sep|>\n", "</s>", FORM_JSON | FORM_OPEN},
        {"function call<|role_sep|>\n", "</s>", FORM_TEXT | FORM_JSON | FORM_OPEN},
        {"<TOOLCALL>", "</TOOLCALL>", FORM_TEXT | FORM_JSON}, /* Nemotron */
        {"<tools>", "</tools>", FORM_TEXT | FORM_JSON},       /* Qwen2.5-Coder, at times */
        {"[unused11]", "[unused12]", FORM_TEXT | FORM_JSON},  /* Pangu */
        {"<|tool_call>", "<tool_call|>", 0, {NULL}, read_gemma4},
        {"<start_function_call>", "<end_function_call>", FORM_TEXT, {NULL}, read_functiongemma},
        {"<|message_model|>", NULL, 0, {&syntax_inkling}},
        {"<|content_invoke_tool_json|>", "<|end_message|>", FORM_JSON},
        {"<|im_end|>\n<|im_start|>assistant -> tool/function_call\n", NULL, FORM_JSON}, /* HCX */
        {"-> tool/function_call\n", NULL, FORM_TEXT | FORM_JSON},
        {"**Tool Call:**\n```json", "```", FORM_TEXT | FORM_JSON}, /* RWKV */
        {"Action: ```json", "```", FORM_TEXT | FORM_JSON},         /* Command R */
        {"Action:```json", "```", FORM_TEXT | FORM_JSON},
        {"<|start|>assistant<|channel|>commentary to=", NULL, 0, {NULL}, read_harmony},
        {"<|start|>assistant<|channel|>analysis to=", NULL, 0, {NULL}, read_harmony},
        {"<|start|>assistant to=", NULL, 0, {NULL}, read_harmony},
        {"<|channel|>commentary to=", NULL, 0, {NULL}, read_harmony},
        {"<|channel|>analysis to=", NULL, 0, {NULL}, read_harmony},
        {"commentary to=", NULL, FORM_TEXT, {NULL}, read_harmony},
};

const struct call_form *call_form_at(const struct cursor *at, bool leads)
{
	bool may_be = at->p < at->end && *at->p && (leads || strchr("<[]", *at->p));
	for (size_t i = 0; may_be && i < ARRAY_LEN(forms); i++) {
		if (*at->p == *forms[i].begin && cursor_at(at, forms[i].begin)) {
			return &forms[i];
		}
	}
	return NULL;
}

static bool ends_with(struct span text, const char *const *ends, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (span_ends(text, ends[i])) {
			return true;
		}
	}
	return false;
}

/* Whether the rest of the line after a call is empty, apart from special tokens. may_follow: text
 * may follow without a blank, as LFM2 writes it. */
static bool ends_line(const char *p, const char *end, bool may_follow)
{
	static const char *const tokens[] = {
	        "<|", "<｜", "</s>", "[TOOL_CALLS]", "]<]", "<end_of_turn>"};
	struct cursor at = {p, end};
	while (at.p < end && (*at.p == ' ' || *at.p == '\t' || *at.p == '\r')) {
		at.p++;
	}
	bool follows = at.p == p && p < end && (is_alnum(*p) || (unsigned char)*p >= 0x80);
	bool ends =
	        (may_follow && follows) || at.p == end || *at.p == '\n' || call_form_at(&at, true);
	for (size_t i = 0; i < ARRAY_LEN(tokens); i++) {
		ends |= cursor_at(&at, tokens[i]);
	}
	return ends;
}

bool call_form_is_used(const struct call_form *form, struct span text, struct span call, bool leads)
{
	static const char *const quotes[] = {"`", "\"", "'"};
	static const char *const sentence_ends[] = {".", "!", "?", "…", "。", "！", "？"};
	const char *after = call.data + call.len;
	struct span before = span_between(text.data, call.data);
	bool is_token = !(form->flags & FORM_TEXT);
	bool begins =
	        leads || is_token || ends_with(before, sentence_ends, ARRAY_LEN(sentence_ends));
	bool is_last = ends_with(call, end_tokens, ARRAY_LEN(end_tokens)) &&
	               !(form->end && span_ends(call, form->end));
	return begins && !ends_with(before, quotes, ARRAY_LEN(quotes)) &&
	       (is_last || ends_line(after, text.data + text.len, is_token));
}

/* [f(a=1), g()], or calls with nothing but blanks between them. */
static bool read_python(struct call_list *l, struct cursor *at)
{
	bool is_list = cursor_accept(at, "[");
	do {
		struct buf arguments = {0};
		struct span name;
		cursor_skip_blanks(at);
		bool ok = notation_python_call(at, &name, &arguments) &&
		          call_list_add(l, (struct span){0}, name, buf_span(&arguments));
		buf_finish(&arguments);
		if (!ok) {
			return false;
		}
	} while (is_list && cursor_accept_next(at, ","));
	return !is_list || cursor_accept_next(at, "]");
}

/* Restores the list and the cursor if the reader fails. */
static bool try_read(struct call_list *l, struct cursor *at, const struct call_syntax *syntax,
        bool (*read)(struct call_list *l, struct cursor *at))
{
	struct cursor before = *at;
	size_t kept = call_list_count(l);
	if (syntax ? call_syntax_read(syntax, l, at) : read(l, at)) {
		return true;
	}
	call_list_cut(l, kept);
	*at = before;
	return false;
}

/* Reads one call or one list of calls. *ret_ends: its own syntax marks its end. */
static bool read_element(
        const struct call_form *f, struct call_list *l, struct cursor *at, bool *ret_ends)
{
	bool is_json = at->p < at->end && (*at->p == '{' || *at->p == '[');
	*ret_ends = true;
	if (is_json && (f->flags & FORM_JSON) && try_read(l, at, NULL, call_syntax_read_json)) {
		return true;
	}
	if (is_json && (f->flags & FORM_KEYED) && try_read(l, at, NULL, call_syntax_read_keyed)) {
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(f->syntax) && f->syntax[i]; i++) {
		if (try_read(l, at, f->syntax[i], NULL)) {
			*ret_ends = *f->syntax[i]->end;
			return true;
		}
	}
	return (f->read && try_read(l, at, NULL, f->read)) ||
	       ((f->flags & FORM_PYTHON) && try_read(l, at, NULL, read_python));
}

/* An engine that keeps special tokens leaves those that end a message after a call. */
static bool accept_end_token(struct cursor *at)
{
	for (size_t i = 0; i < ARRAY_LEN(end_tokens); i++) {
		if (cursor_accept_next(at, end_tokens[i])) {
			return true;
		}
	}
	return false;
}

static bool read_elements(const struct call_form *f, struct call_list *l, struct cursor *at)
{
	bool any = false, ends = false;
	for (;;) {
		struct cursor next = *at;
		cursor_skip_blanks(&next);
		while (any && (cursor_accept_next(&next, ",") || cursor_accept_next(&next, ";"))) {
		}
		cursor_skip_blanks(&next);
		if (f->end && cursor_accept(&next, f->end)) {
			*at = next;
			return any;
		}
		bool element_ends;
		if (!read_element(f, l, &next, &element_ends)) {
			break;
		}
		ends = element_ends;
		while (!f->end && accept_end_token(&next)) {
		}
		*at = next;
		any = true;
		if (f->flags & FORM_WHOLE) {
			(void)(f->end && cursor_accept_next(at, f->end));
			return true;
		}
	}
	struct cursor rest = *at;
	cursor_skip_blanks(&rest);
	return any && (!f->end || (f->flags & FORM_OPEN) || (rest.p == rest.end && ends));
}

bool call_form_read(const struct call_form *form, struct cursor *at, struct call_list *l)
{
	struct cursor ahead = *at;
	size_t kept = call_list_count(l);
	if (!(form->flags & FORM_WHOLE)) {
		ahead.p += strlen(form->begin);
	} else if (form->flags & FORM_JSON) {
		ahead.p +=
		        strlen(form->begin) - 1; /* the list begins with the mark's last letter */
	}
	if (!read_elements(form, l, &ahead)) {
		call_list_cut(l, kept);
		return false;
	}
	while (accept_end_token(&ahead)) {
	}
	*at = ahead;
	return true;
}

/* Removes the marks of a code block that is the whole text. */
static bool remove_fence(struct span *text, const char *open)
{
	struct cursor at = cursor_of(*text);
	if (!cursor_accept(&at, open) || !span_ends(*text, "\n```")) {
		return false;
	}
	*text = span_trim(span_between(at.p, at.end - strlen("```")));
	return true;
}

bool call_form_read_bare(struct span text, struct call_list *l)
{
	static const struct call_form json = {"", NULL, FORM_JSON},
	                              python = {"", NULL, FORM_PYTHON};
	(void)remove_fence(&text, "```json\n");               /* xLAM, and others at times */
	bool is_code = remove_fence(&text, "```tool_code\n"); /* Gemma 3 */
	struct cursor at = cursor_of(text);
	size_t kept = call_list_count(l);
	bool is_list = text.len && *text.data == '[';
	bool is_object = text.len && *text.data == '{';
	l->strict = true;
	bool found = (is_list || is_object) && read_elements(&json, l, &at) && at.p == at.end;
	l->strict = false;
	if (found) {
		return true;
	}
	call_list_cut(l, kept);
	at = cursor_of(text);
	if ((is_list || is_code) && read_elements(&python, l, &at) && at.p == at.end) {
		return true;
	}
	call_list_cut(l, kept);
	return false;
}
