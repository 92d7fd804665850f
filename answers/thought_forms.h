#pragma once
/*
 * thought_forms - the marks that models write around their reasoning and their answer, as the
 * parsers of vLLM, SGLang and llama.cpp know them. Only reasoning_marks.c includes this table. The
 * channels of gpt-oss and Muse can follow each other in any order; they are not in the table, and
 * reasoning_marks.c reads them itself.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"

/* Properties of the marks of a family of models: a set of bits. */
enum family_flag {
	/* The chat template may write the opening mark into the prompt, so that the answer has
	 * only the closing one. */
	FAMILY_ALONE = 1 << 0,
	/* The opening mark is also ordinary text, so it counts only if the closing mark follows. */
	FAMILY_WORDS = 1 << 1,
	/* The marks are special tokens, which do not occur in ordinary text. */
	FAMILY_TOKENS = 1 << 2,
};

struct family {
	const char *open, *close;
	unsigned flags;
	size_t keeps; /* bytes of the closing mark that belong to the answer */
};

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

/* Marks that some models write around the answer: `begin` directly after the closing mark of the
 * reasoning, `end` at the end of the text. */
static const struct wrapper {
	const char *close, *begin, *end;
	bool alone; /* begin and end may occur without reasoning before them */
} wrappers[] = {
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

/* The marks of Hunyuan 3 and 4, all with the same suffix of the model's own, as in
 * <think:6124c78e>. */
#define THOUGHT_SUFFIX_LIMIT 64
struct suffixed {
	bool any; /* the text has such a mark */
	char open[THOUGHT_SUFFIX_LIMIT + 16], close[THOUGHT_SUFFIX_LIMIT + 16];
	char begin[THOUGHT_SUFFIX_LIMIT + 16], end[THOUGHT_SUFFIX_LIMIT + 16];
	struct family family;
	struct wrapper wrapper;
};

static inline void suffixed_set(struct suffixed *x, struct span suffix)
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

/* Finds the first mark of reasoning with a suffix. */
static inline void suffixed_find(struct span text, struct suffixed *x)
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

/* The marks of family i, or those with a suffix; NULL: there are no more. */
static inline const struct family *family_at(const struct suffixed *suffixed, size_t i)
{
	bool is_last = i == ARRAY_LEN(families) && suffixed->any;
	return i < ARRAY_LEN(families) ? &families[i] : is_last ? &suffixed->family : NULL;
}

static inline const struct wrapper *wrapper_at(const struct suffixed *suffixed, size_t i)
{
	bool is_last = i == ARRAY_LEN(wrappers) && suffixed->any;
	return i < ARRAY_LEN(wrappers) ? &wrappers[i] : is_last ? &suffixed->wrapper : NULL;
}
