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
	int32_t year, month, day;
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
	struct span text; /* without surrounding blanks and the full stop at its end */
	struct number number;
	struct span written;     /* the number, as written in the text */
	const struct unit *unit; /* NULL: none */
	struct span variable;    /* "x" in "x = 5" */
	struct date date;
	char letter;        /* letter of an option, in lower case */
	struct span option; /* the words after the letter: "Paris" in "B. Paris" */
	bool yes;
};

/* Reads the text as a whole. It must not have markup. */
void value_read(struct span text, enum question q, struct value *ret);
/* True for "yes", "true", "correct" or one of their opposites, ignoring case. */
bool value_is_boolean(struct span word, bool *ret_yes);
/* True for a letter followed by an option's words, which begin with a capital and contain no
 * negation. */
bool value_has_option_words(const struct value *v);
/* AGREE_UNDECIDED also for different kinds, and for two values in words that are not equal. */
enum agreement value_agreement(const struct value *a, const struct value *b, enum question q);
