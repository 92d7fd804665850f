#pragma once
/*
 * answer - the answer that a text states, and whether two texts state the same one.
 *
 * A text states an answer if it is only a value (value.h), or if it marks one: \boxed{5}, "#### 5"
 * at the beginning of a line, "Answer: 5", "The answer is 5". Other words in the mark's sentence
 * and after the value belong to the answer: equal values are the same answer only if these words
 * are equal too. Pure; one thread; time is linear in the text.
 */
#include "analyzer/compare/meaning/format.h"
#include "analyzer/compare/meaning/value.h"

enum answer_mark {
	ANSWER_NONE, /* no answer, or several; the other members are not set */
	ANSWER_BARE,
	ANSWER_MARKED,
};

struct answer { /* the spans belong to the text's forms */
	enum answer_mark mark;
	struct value value;
	struct span before, after; /* other words; mostly empty */
};

/* f: the unicode and markup forms of the text (format_compare()). words: f's markup form, or a part
 * of it. */
void answer_read(struct forms *f, struct span words, enum question q, struct answer *ret);
/*
 * Same: values and other words are equal. Changed: values differ, and the other words are equal, or
 * contain no negation and no unit. Undecided otherwise, also if one text states no answer.
 */
enum agreement answer_compare(const struct answer *a, const struct answer *b, enum question q);
/* As answer_compare(), with the right answer of a benchmark, which has no other words: words
 * without a negation may come before the value, and the title of an option may follow its
 * letter. */
enum agreement answer_compare_right(
        const struct answer *a, const struct answer *right, enum question q);
/* Changed: one text is a sentence that begins with a yes, the other begins with a no. */
enum agreement answer_compare_yes(struct span a, struct span b);
