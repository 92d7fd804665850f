#include "answers/thought_forms.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"

static const struct family families[] = {
        /* DeepSeek R1, Qwen, GLM, Hunyuan, Ernie, Nemotron, MiniMax, Granite 3.3, ... */
        {"<think>", "</think>", FAMILY_ALONE},
        {"<thinking>", "</thinking>", 0},
        {"<thought>", "</thought>", FAMILY_ALONE}, /* EXAONE Deep */
        {"<reasoning>", "</reasoning>", FAMILY_WORDS},
        {"<seed:think>", "</seed:think>", FAMILY_ALONE},
        {"<longcat_think>", "</longcat_think>", FAMILY_ALONE},
        {"<mm:think>", "</mm:think>", FAMILY_ALONE},                   /* MiniMax M3 */
        {"<ifm|think>", "</ifm|think>", FAMILY_ALONE | FAMILY_TOKENS}, /* K2 Horizon */
        {"<ifm|think_fast>", "</ifm|think_fast>", FAMILY_ALONE | FAMILY_TOKENS},
        {"<ifm|think_faster>", "</ifm|think_faster>", FAMILY_ALONE | FAMILY_TOKENS},
        {"<|think:start|>", "<|think:end|>", FAMILY_ALONE | FAMILY_TOKENS},              /* Solar */
        {"<|open|>think<|sep|>", "<|close|>think<|sep|>", FAMILY_ALONE | FAMILY_TOKENS}, /* K3 */
        {"<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>", FAMILY_ALONE | FAMILY_TOKENS},
        {"[unused16]", "[unused17]", FAMILY_ALONE | FAMILY_TOKENS},                  /* Pangu */
        {"<|message_model|><|content_thinking|>", "<|end_message|>", FAMILY_TOKENS}, /* Inkling */
        {"<|content_thinking|>", "<|end_message|>", FAMILY_TOKENS},
        {"[THINK]", "[/THINK]", FAMILY_ALONE | FAMILY_TOKENS},                    /* Magistral */
        {"◁think▷", "◁/think▷", FAMILY_ALONE | FAMILY_TOKENS},                    /* Kimi */
        {"<|START_THINKING|>", "<|END_THINKING|>", FAMILY_ALONE | FAMILY_TOKENS}, /* Command */
        {"<|begin_of_thought|>", "<|end_of_thought|>", FAMILY_TOKENS}, /* OpenThinker, Sky-T1 */
        {"<|thought_start|>", "<|thought_end|>", FAMILY_TOKENS},       /* MiniCPM 3 and 4 */
        {"<|inner_prefix|>", "<|inner_suffix|>", FAMILY_TOKENS},       /* Apertus */
        {"<|channel>thought", "<channel|>", FAMILY_TOKENS},            /* Gemma 4 */
        /* gpt-oss without its special tokens */
        {"analysis", "assistantcommentary to=", FAMILY_WORDS, sizeof("commentary to=") - 1},
        {"analysis", "assistantfinal", FAMILY_WORDS},
        {"Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]",
                FAMILY_ALONE | FAMILY_WORDS}, /* Apriel */
        /* Granite 3.2 */
        {"Here is my thought process:", "Here is my response:", FAMILY_WORDS},
        {"Here's my thought process:", "Here's my response:", FAMILY_WORDS},
        {"Here is my thought process:", "Here's my response:", FAMILY_WORDS},
        {"Here's my thought process:", "Here is my response:", FAMILY_WORDS},
};

static const struct wrapper wrappers[] = {
        {"</think>", "\n<answer>\n", "\n</answer>"},       /* Hunyuan */
        {"</think>", "\n\n<response>\n", "\n</response>"}, /* Ernie */
        {"</think>", "<response>", "</response>"},         /* Granite 3.3 */
        {"<|END_THINKING|>", "<|START_RESPONSE|>", "<|END_RESPONSE|>", true},
        {"<|END_THINKING|>", "<|START_TEXT|>", "<|END_TEXT|>", true},
        {"<|close|>think<|sep|>", "<|open|>response<|sep|>", "<|close|>response<|sep|>", true},
        {"<|end_message|>", "<|message_model|><|content_text|>", "<|end_message|>", true},
        {"<|end_of_thought|>", "\n\n<|begin_of_solution|>", "<|end_of_solution|>"},
        {"", "[BEGIN FINAL RESPONSE]", "[END FINAL RESPONSE]"}, /* begin ends the reasoning */
        {"", "[BEGIN FINAL RESPONSE]", "[END FINAL RESPONSE]\n<|end|>"},
};

_Static_assert(ARRAY_LEN(families) < FAMILIES_LIMIT, "the last one is that with a suffix");

static void suffixed_set(struct suffixed *x, struct span suffix)
{
	int n = (int)suffix.len;
	(void)snprintf(x->open, sizeof(x->open), "<think:%.*s>", n, suffix.data);
	(void)snprintf(x->close, sizeof(x->close), "</think:%.*s>", n, suffix.data);
	(void)snprintf(x->begin, sizeof(x->begin), "\n<answer:%.*s>\n", n, suffix.data);
	(void)snprintf(x->end, sizeof(x->end), "\n</answer:%.*s>", n, suffix.data);
	x->family = (struct family){x->open, x->close, FAMILY_ALONE, 0};
	x->wrapper = (struct wrapper){x->close, x->begin, x->end, false};
	x->any = true;
}

void thought_suffixed_find(struct span text, struct suffixed *x)
{
	static const char think[] = "think:";
	const char *p = text.data, *end = p + text.len;
	x->any = false;
	while (text.len && (p = memmem(p, (size_t)(end - p), think, sizeof(think) - 1))) {
		bool is_mark = p > text.data && (p[-1] == '<' || p[-1] == '/');
		const char *from = p += sizeof(think) - 1;
		while (p < end && p - from < THOUGHT_SUFFIX_LIMIT &&
		        (is_alnum(*p) || *p == '_' || *p == '-' || *p == '.')) {
			p++;
		}
		if (is_mark && p > from && p < end && *p == '>') {
			suffixed_set(x, span_between(from, p));
			return;
		}
	}
}

const struct family *thought_family_at(const struct suffixed *suffixed, size_t i)
{
	bool is_last = i == ARRAY_LEN(families) && suffixed->any;
	return i < ARRAY_LEN(families) ? &families[i] : is_last ? &suffixed->family : NULL;
}

const struct wrapper *thought_wrapper_at(const struct suffixed *suffixed, size_t i)
{
	bool is_last = i == ARRAY_LEN(wrappers) && suffixed->any;
	return i < ARRAY_LEN(wrappers) ? &wrappers[i] : is_last ? &suffixed->wrapper : NULL;
}
