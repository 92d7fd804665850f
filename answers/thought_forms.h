#pragma once
/*
 * thought_forms - the marks that models write around their reasoning and their answer, as the
 * parsers of vLLM, SGLang and llama.cpp know them. Pure. The channels of gpt-oss and Muse can
 * follow each other in any order; reasoning_marks.c reads them itself.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

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

/* Marks that some models write around the answer: `begin` directly after the closing mark of the
 * reasoning, `end` at the end of the text. */
struct wrapper {
	const char *close, *begin, *end;
	bool alone; /* begin and end may occur without reasoning before them */
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

/* Finds the first mark of reasoning with a suffix. */
void thought_suffixed_find(struct span text, struct suffixed *x);

#define FAMILIES_LIMIT 64
/* The marks of family i, or those with a suffix; NULL: there are no more. */
const struct family *thought_family_at(const struct suffixed *suffixed, size_t i);
const struct wrapper *thought_wrapper_at(const struct suffixed *suffixed, size_t i);
