#pragma once
/*
 * unlike - why pairs were decoded unlike, counted; and what to do about it.
 */
#include "analyzer/compare/decoding.h"

#define UNLIKE_LIMIT 8

struct unlike {
	struct decoding_reason reason;
	const struct dialect *base, *test;
	uint64_t pairs;
};

/* Zero-initialised is empty. The first UNLIKE_LIMIT reasons in their order are told apart, so
 * that the order of adding and merging does not matter. */
struct unlikes {
	struct unlike *items;
	size_t n;
	uint64_t others; /* pairs with other reasons */
};

void unlike_add(struct unlikes *u, const struct decoding_reason *reason, const struct dialect *base,
        const struct dialect *test);
void unlike_merge(struct unlikes *u, const struct unlikes *other);
void unlike_finish(struct unlikes *u);
/* "temperature 0.8 by default against 1 by default (12), ...", the commonest first; the caller
 * frees it. */
char *unlike_text(const struct unlikes *u);
/*
 * The penalty that an engine applies unasked, if one did: "llama-cpp-python applies
 * repetition_penalty 1.1 by default; send repeat_penalty 1.0, or set align: same". NULL: none. The
 * caller frees it.
 */
char *unlike_advice(const struct unlikes *u);
