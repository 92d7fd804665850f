#pragma once
/*
 * thought_forms - the marks that models write around their reasoning and their answer, as the
 * parsers of vLLM, SGLang and llama.cpp know them. Only reasoning_marks.c includes this table. The
 * channels of gpt-oss and Muse can follow each other in any order; they are not in the table, and
 * reasoning_marks.c reads them itself.
 */
#include <stdbool.h>
#include <stddef.h>

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
        {"<think:opensource>", "</think:opensource>", FAMILY_ALONE},   /* Hunyuan 3 */
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
        {"</think:opensource>", "\n<answer:opensource>\n", "\n</answer:opensource>"},
        {"<|END_THINKING|>", "<|START_RESPONSE|>", "<|END_RESPONSE|>", true},
        {"<|END_THINKING|>", "<|START_TEXT|>", "<|END_TEXT|>", true},
        {"<|close|>think<|sep|>", "<|open|>response<|sep|>", "<|close|>response<|sep|>", true},
        {"<|end_message|>", "<|message_model|><|content_text|>", "<|end_message|>", true},
        {"<|end_of_thought|>", "\n\n<|begin_of_solution|>", "<|end_of_solution|>"},
        {"", "[BEGIN FINAL RESPONSE]", "[END FINAL RESPONSE]"}, /* begin ends the reasoning */
        {"", "[BEGIN FINAL RESPONSE]", "[END FINAL RESPONSE]\n<|end|>"},
};
