#pragma once
/*
 * formula - finds the mathematical value that a text marks as its answer, as the LaTeX in the text.
 *
 * The text marks the value in one of the ways of mark.h, or the whole text is one formula. Pure;
 * one thread; time is linear in the text.
 */
#include "analyzer/compare/meaning/format.h"

#define FORMULA_MAX 4096 /* bytes; longer formulas are ignored */

struct formula { /* its spans point into the text's forms */
	bool found;
	struct span latex;         /* without the formula's delimiters: "x^2" of "$x^2$" */
	struct span before, after; /* the other words; usually empty */
};
/* False: the text marks no value, or several, or one that is only words. f is working space and is
 * overwritten. */
bool formula_read(struct forms *f, struct span text, struct formula *ret);

/* Reads a right answer in the form for Math-Verify: {"math": "\\\\frac{1}{2}"}. Writes its LaTeX
 * to an empty buf. False: the right answer has another form. */
bool formula_gold_read(struct span gold, struct buf *to);
