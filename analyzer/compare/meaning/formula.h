#pragma once
/*
 * formula - the mathematical value that a text marks as its answer, as the LaTeX in the text.
 *
 * The text marks the value in the way that mark.h describes for all answers, or the whole text is
 * one formula. Pure; one thread; time is linear in the text.
 */
#include "analyzer/compare/meaning/format.h"

#define FORMULA_MAX 4096 /* bytes; longer formulas are ignored */

struct formula { /* the spans belong to the text's forms */
	bool found;
	struct span latex;         /* without the formula's delimiters: "x^2" of "$x^2$" */
	struct span before, after; /* other words; mostly empty */
};
/* False: the text marks no value, or several, or one that is only words. f is working space and is
 * overwritten. */
bool formula_read(struct forms *f, struct span text, struct formula *ret);

/* Reads a right answer of the kind for Math-Verify: {"math": "\\\\frac{1}{2}"}. Writes its LaTeX
 * to an empty buf. False: the right answer is of another kind. */
bool formula_gold_read(struct span gold, struct buf *to);
