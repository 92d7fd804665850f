#pragma once
/*
 * decoding_differences - counts the pairs whose sides were decoded with different parameters, by
 * the parameter and its values (the reason), and proposes what to do. Pure.
 */
#include "analyzer/compare/decoding.h"

#define DECODING_DIFFERENCES_LIMIT 8

struct decoding_difference_count {
	struct decoding_reason reason;
	const struct dialect *base, *test; /* never NULL */
	uint64_t pairs;
};

/* Zero-initialised: empty. If there are more reasons than DECODING_DIFFERENCES_LIMIT, the first
 * ones in sorting order are kept, in whatever order pairs are added. */
struct decoding_differences {
	struct decoding_difference_count *items;
	size_t n;
	uint64_t others; /* pairs with reasons that are not in `items` */
};

/* Adds a pair. Keeps the pointers to the dialects, which are constants. */
void decoding_differences_add(struct decoding_differences *u, const struct decoding_reason *reason,
        const struct dialect *base, const struct dialect *test);
void decoding_differences_finish(struct decoding_differences *u);
/* The reasons with their numbers of pairs, the most frequent first: "temperature 0.8 by default
 * against 1 by default (12), others (3)"; "": nothing was added. The caller frees it. */
char *decoding_differences_text(const struct decoding_differences *u);
/*
 * A sentence about a penalty that an engine applies by default: "llama-cpp-python applies
 * repetition_penalty 1.1 by default; send repeat_penalty 1.0, or set align: same". It is about the
 * first such reason in sorting order. NULL: no reason is such a penalty. The caller frees it.
 */
char *decoding_differences_advice(const struct decoding_differences *u);
