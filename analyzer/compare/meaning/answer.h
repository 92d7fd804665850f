#pragma once
/*
 * answer - the answer that a text states, and whether two texts state the same answer. ("Answer"
 * here is that value with its words, not the whole text of an engine.)
 *
 * A text states an answer if the whole text is a value (value.h), or if it marks a value in one of
 * the ways of mark.h. The words before the mark in its sentence, and all words after the value,
 * belong to the answer. Pure; time is linear in the text.
 */
#include "analyzer/compare/meaning/format.h"
#include "analyzer/compare/meaning/value.h"

enum answer_mark {
	ANSWER_NONE,   /* no answer, or several; do not read the other members */
	ANSWER_BARE,   /* the whole text is the value */
	ANSWER_MARKED, /* a mark states the value */
};

struct answer { /* its spans point into the forms that answer_read() got */
	enum answer_mark mark;
	struct value value;
	struct span before, after; /* the other words, before and after the value */
};

/* Reads the answer that a text states. f: one side's forms. Call it only after format_compare()
 * returned RUNG_MARKUP or a later rung, and if f->failed is false (format.h). It overwrites f->form
 * and f->talk. words: f->words, or another text without markup. */
void answer_read(struct forms *f, struct span words, enum question q, struct answer *ret);
/*
 * Compares the answers that two texts state.
 *
 *	AGREE_SAME       values and other words are equal
 *	AGREE_CHANGED    values differ; and the other words are equal, or both sides state the
 *	                 value plainly, with no unit before the value
 *	AGREE_UNDECIDED  otherwise, also if a text states no answer
 *
 * A side states its value plainly if no words come after the value, and the words before the value
 * are English words without a negation, perhaps with a calculation.
 */
enum agreement answer_compare(const struct answer *a, const struct answer *b, enum question q);
/* Compares an answer with the right answer of a benchmark. AGREE_UNDECIDED if a side does not state
 * its value plainly (see above); else the values decide. If `a` is an option's letter with the
 * option's words, and `right` is only a letter, the words do not count. */
enum agreement answer_compare_right(
        const struct answer *a, const struct answer *right, enum question q);
/* AGREE_CHANGED: each text is a single sentence, one begins with a yes and the other one with a
 * no, and no other word contradicts that. Otherwise AGREE_UNDECIDED. */
enum agreement answer_compare_yes(struct span a, struct span b);
