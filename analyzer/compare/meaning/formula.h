#pragma once
/*
 * formula - the mathematical value that a text marks, as the LaTeX that it is written in.
 *
 * A text marks it as any answer (mark.h), or is nothing but one formula. Pure; one thread; time is
 * linear in the text.
 */
#include "analyzer/compare/meaning/format.h"

#define FORMULA_MAX 4096 /* bytes: a longer one is none */

struct formula { /* the spans belong to the text's forms */
	bool found;
	struct span latex;         /* without the marks of a formula: "x^2" of "$x^2$" */
	struct span before, after; /* what else is said; mostly empty */
};
/* False: the text marks no value, or several, or one of words alone. f is working space, and is
 * used anew. */
bool formula_read(struct forms *f, struct span text, struct formula *ret);

/* A right answer that Math-Verify grades: {"math": "\\frac{1}{2}"}. Its LaTeX goes into an empty
 * buf; false: it is of another kind. */
bool formula_gold_read(struct span gold, struct buf *to);
