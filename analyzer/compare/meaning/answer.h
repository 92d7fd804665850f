#pragma once
/*
 * answer - the answer that a text states, and whether two texts state the same answer.
 *
 * A text states an answer if it is nothing but a value (value.h), or if it marks one: \boxed{5},
 * "#### 5" at the beginning of a line, "Answer: 5", "The answer is 5". Other words in the mark's
 * sentence and after the value belong to the answer: equal values are the same answer only if these
 * words are equal too. Pure; one thread; time is linear in the text.
 */
#include "analyzer/compare/meaning/format.h"
#include "analyzer/compare/meaning/value.h"

enum answer_mark {
	ANSWER_NONE, /* no answer, or several; the other members are not set */
	ANSWER_BARE,
	ANSWER_MARKED,
};

struct answer { /* its spans point into the text's forms */
	enum answer_mark mark;
	struct value value;
	struct span before, after; /* the other words; usually empty */
};

/* Reads the answer that a text states. f: the unicode and markup forms of the text
 * (format_compare()). words: f's markup form, or a part of it. */
void answer_read(struct forms *f, struct span words, enum question q, struct answer *ret);
/*
 * AGREE_SAME: values and other words are equal. AGREE_CHANGED: values differ, and the other words
 * are equal, or contain no negation and no unit. Otherwise AGREE_UNDECIDED, also if a text states
 * no answer.
 */
enum agreement answer_compare(const struct answer *a, const struct answer *b, enum question q);
/* Like answer_compare(), for the right answer of a benchmark. That has no other words, so words
 * without a negation may come before the value in `a`, and an option's title may follow its
 * letter. */
enum agreement answer_compare_right(
        const struct answer *a, const struct answer *right, enum question q);
/* AGREE_CHANGED: one text is a sentence that begins with a yes, the other one begins with a no. */
enum agreement answer_compare_yes(struct span a, struct span b);
