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

/* Reads the answer that a text states. f: one side's forms, after format_compare() returned
 * RUNG_MARKUP or a later rung, without `failed` (format.h). f->form and f->talk are overwritten.
 * words: f->words, or another text without markup. */
void answer_read(struct forms *f, struct span words, enum question q, struct answer *ret);
/*
 * Compares the answers that two texts state.
 *
 *	AGREE_SAME       values and other words are equal
 *	AGREE_CHANGED    values differ, and either the other words are equal, or no words come
 *	                 after the values and the words before them are plain: English words
 *	                 without a negation or a unit, perhaps with a calculation
 *	AGREE_UNDECIDED  otherwise, also if a text states no answer
 */
enum agreement answer_compare(const struct answer *a, const struct answer *b, enum question q);
/* Compares an answer with the right answer of a benchmark: the values decide. AGREE_UNDECIDED
 * if, on either side, words come after the value, or the words before it are not plain as above,
 * except that they may have a unit. If `a` has an option's letter with its words and `right` has
 * the letter only, the words do not count. */
enum agreement answer_compare_right(
        const struct answer *a, const struct answer *right, enum question q);
/* AGREE_CHANGED: each text is a single sentence, one begins with a yes and the other one with a
 * no, and no other word contradicts that. Otherwise AGREE_UNDECIDED. */
enum agreement answer_compare_yes(struct span a, struct span b);
