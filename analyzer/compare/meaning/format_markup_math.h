#pragma once
/*
 * format_markup_math - finds the edits that remove LaTeX from prose: $...$, \(...\), \[...\],
 * \boxed{...}, and inside them \text{...} and commands that stand for one character.
 */
#include "analyzer/compare/meaning/format_markup.h"

#define MATH_DEPTH 16

struct math {
	const char *begin, *end;
	size_t budget; /* bytes that may still be searched without a match */
	struct {
		const char *at;
		size_t len;
	} closers[MATH_DEPTH]; /* a stack of closing marks to remove; the innermost comes last */
	size_t depth;          /* items on the stack */
};

void math_init(struct math *m, struct span text);
/* If LaTeX begins at p: appends its edits and returns where to continue. NULL: none begins here. */
const char *math_scan(struct math *m, const char *p, const char *stop, struct buf *edits);
/* The brace that closes the one before `from`; NULL: there is none, or it is too far away. */
const char *math_brace(const char *from, const char *stop);
