#pragma once
/*
 * formula - finds the LaTeX of the mathematical value that a text states as its answer.
 *
 * The text marks the value in one of the ways of mark.h, or the whole text is one formula. Pure;
 * time is linear in the text.
 */
#include "analyzer/compare/meaning/format.h"

#define FORMULA_MAX 4096 /* bytes; a longer formula does not count as one */

struct formula { /* its spans point into the forms that formula_read() filled */
	bool found;
	struct span latex;         /* without the formula's delimiters: "x^2" of "$x^2$" */
	struct span before, after; /* the other words, as in struct answer (answer.h) */
};
/* f: working space; its earlier forms are lost. Returns ret->found. False: the text states no
 * value, several values, or a value that is only words. */
bool formula_read(struct forms *f, struct span text, struct formula *ret);

/* Reads a right answer in the form for Math-Verify, as a suite has it: {"math": "\\frac{1}{2}"} is
 * the LaTeX \frac{1}{2}. Writes the LaTeX to an empty buf. False: the right answer has another
 * form, or its LaTeX is empty or too long; the contents of *to are then undefined. */
bool formula_gold_read(struct span gold, struct buf *to);
