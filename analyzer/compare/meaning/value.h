#pragma once
/*
 * value - the value of a short text: a number or a quantity, a date, an option's letter, yes or no,
 * or some words. Pure.
 */
#include <stdint.h>

#include "analyzer/compare/meaning/number.h"
#include "analyzer/compare/meaning/question.h"
#include "analyzer/compare/meaning/unit.h"
#include "base/buf.h"

struct date {
	int32_t year, month, day; /* month: 1 to 12, day: 1 to 31 */
};

enum value_kind {
	VALUE_NONE,
	VALUE_NUMBER,
	VALUE_DATE,
	VALUE_CHOICE,
	VALUE_BOOLEAN,
	VALUE_WORDS,
	N_VALUE_KINDS,
};

struct value { /* all spans point into the text that value_read() got */
	enum value_kind kind;
	/* without white space around it, and without the full stop of the sentence */
	struct span text;
	struct number number;    /* VALUE_NUMBER */
	struct span written;     /* VALUE_NUMBER: the number, as written in the text */
	const struct unit *unit; /* VALUE_NUMBER; NULL: none */
	struct span variable;    /* VALUE_NUMBER: "x" in "x = 5"; else empty */
	struct date date;        /* VALUE_DATE; always with its year */
	char letter;             /* VALUE_CHOICE: the letter, in lower case */
	struct span option; /* VALUE_CHOICE: the words after the letter: "Paris" in "B. Paris" */
	bool yes;           /* VALUE_BOOLEAN: value_is_boolean() */
};

/* Reads the text as a whole. The text must not have markup. ret->kind is VALUE_NONE for an empty
 * text, and VALUE_WORDS if no other kind fits. q: for QUESTION_CHOICE, a letter is an option in
 * more spellings ("b", "B. Paris"). */
void value_read(struct span text, enum question q, struct value *ret);
/* True for "yes", "true", "correct", "no", "false" or "incorrect", ignoring case. *ret_yes: the
 * word is one of the first three. */
bool value_is_boolean(struct span word, bool *ret_yes);
/* True for an option's letter that is followed by words, if these begin with a capital and contain
 * no negation and no word that is one capital letter. */
bool value_has_option_words(const struct value *v);
/*
 * Compares two values. q: unless it is QUESTION_NUMBER, a number without a unit may be a version
 * (number_agreement()) or a date (9/11).
 *
 *	VALUE_NUMBER   number_agreement(), after conversion of units. If the units measure different
 *	               things: AGREE_CHANGED, or AGREE_UNDECIDED if one of them is a single letter.
 *	               Also AGREE_UNDECIDED: the variables differ; only one side has a unit; the
 *	               numbers are unequal after conversion, but within 1 % of each other; they are
 *	               equal, but written differently, and one may be a date
 *	VALUE_DATE     AGREE_SAME or AGREE_CHANGED
 *	VALUE_CHOICE   by letter. AGREE_UNDECIDED: only one side has words; or the letters are equal
 *	               and the words differ, or the reverse; or words have a negation or another
 *	               capital letter by itself
 *	VALUE_BOOLEAN  `yes` differs: AGREE_CHANGED. Else AGREE_SAME for the same word, ignoring
 *	               case; AGREE_UNDECIDED for another word ("yes", "true")
 *	VALUE_WORDS    AGREE_SAME if equal byte for byte, else AGREE_UNDECIDED
 *	otherwise      AGREE_UNDECIDED: the kinds differ, or are VALUE_NONE
 */
enum agreement value_agreement(const struct value *a, const struct value *b, enum question q);
