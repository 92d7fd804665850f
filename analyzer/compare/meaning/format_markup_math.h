#pragma once
/*
 * format_markup_math - LaTeX within prose: $...$, \(...\), \[...\], \boxed{...}, and inside them
 * \text{...} and the commands that have a character of their own.
 */
#include "analyzer/compare/meaning/format_markup_edits.h"

#define MATH_DEPTH 16

struct math {
	const char *begin, *end;
	size_t budget; /* of bytes that may be searched in vain */
	struct {
		const char *at;
		size_t len;
	} closers[MATH_DEPTH]; /* marks that are to be taken off further on, the next one last */
	size_t depth;
};

void math_init(struct math *m, struct span text);
/* What begins at p: the edits are appended, and where to go on is returned; NULL: nothing does. */
const char *math_scan(struct math *m, const char *p, const char *stop, struct buf *edits);
/* The brace that closes the one before `from`; NULL: none, or it is too far. */
const char *math_brace(const char *from, const char *stop);
