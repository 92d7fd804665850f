#pragma once
/*
 * answer - the answer that a text states, and whether two texts state the same one.
 *
 * A text states an answer if it is nothing but a value (value.h), or if it marks one: \boxed{5},
 * "#### 5" at a line's beginning, "Answer: 5", "The answer is 5". What else the text says in the
 * mark's sentence and behind the value belongs to the answer: equal values are the same answer only
 * if that is equal on both sides. Pure; one thread; time is linear in the text.
 */
#include "analyzer/compare/meaning/format.h"
#include "analyzer/compare/meaning/value.h"

enum answer_mark {
	ANSWER_NONE, /* none is stated, or there are several; the rest is not to be read */
	ANSWER_BARE,
	ANSWER_MARKED,
};

struct answer { /* the spans belong to the text's forms */
	enum answer_mark mark;
	struct value value;
	struct span before, after; /* what else is said; mostly empty */
};

/* words: the markup form of the text, or a part of it; f: forms above the space rung. */
void answer_read(struct forms *f, struct span words, enum question q, struct answer *ret);
/*
 * Same: equal values, and all else that is said is equal. Changed: unequal values, and all else is
 * equal or is words without a negation or a unit. Undecided also if one states none.
 */
enum agreement answer_compare(const struct answer *a, const struct answer *b, enum question q);
/* The same with the right answer of a benchmark, which has no words around it: words without a
 * negation may lead to the value, and an option's title may stand behind its letter. */
enum agreement answer_compare_right(
        const struct answer *a, const struct answer *right, enum question q);
/* Changed: one text is a sentence that begins with a yes, the other one with a no. */
enum agreement answer_compare_yes(struct span a, struct span b);
