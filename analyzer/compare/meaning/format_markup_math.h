#pragma once
/*
 * format_markup_math - finds the edits that remove LaTeX from prose. LaTeX is $...$, $$...$$,
 * \(...\), \[...\] and \boxed{...}, and inside these \text{...} and commands that stand for one
 * character.
 */
#include "analyzer/compare/meaning/format_markup.h"

#define MATH_DEPTH 16

struct math {
	const char *begin, *end;
	/* bytes that the search for closing marks may still read; 0: no more LaTeX is found */
	size_t budget;
	/* a stack: the closing marks of the LaTeX that is open; the innermost comes last */
	struct {
		const char *at;
		size_t len;
	} closers[MATH_DEPTH];
	size_t depth; /* items on the stack */
};

void math_init(struct math *m, struct span text);
/* Call it for the positions p of a piece of prose, in order. stop: the end of the piece. NULL: no
 * LaTeX begins or ends at p; go on at p + 1. Else LaTeX or an escape such as \% is there, and its
 * edits (struct markup_edit), if any, were appended; go on at the returned position. */
const char *math_scan(struct math *m, const char *p, const char *stop, struct buf *edits);
/* The brace that closes the one before `from`; NULL: there is none up to `stop`, or within 2,000
 * bytes. */
const char *math_brace(const char *from, const char *stop);
