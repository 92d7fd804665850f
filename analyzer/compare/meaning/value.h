#pragma once
/*
 * value - what a short piece of text names: a number, a date, a letter of a list, yes or no, or
 * just some words.
 */
#include "analyzer/compare/meaning/date.h"
#include "analyzer/compare/meaning/quantity.h"
#include "analyzer/compare/meaning/question.h"

enum value_kind {
	VALUE_NONE,
	VALUE_NUMBER,
	VALUE_DATE,
	VALUE_CHOICE,
	VALUE_BOOLEAN,
	VALUE_TEXT,
	N_VALUE_KINDS,
};

struct value {
	enum value_kind kind;
	struct span text; /* belongs to the text that was read */
	struct quantity quantity;
	struct date date;
	uint32_t letters;     /* bit 0 is A */
	uint64_t order;       /* of the letters, in digits of 27; of many, the last ones' */
	bool marked;          /* the letter is written as an option: (B), B), B. */
	struct span option;   /* the words after the letter */
	struct span variable; /* "x" in "x = 5" */
	bool yes;
	struct span word; /* yes, true, correct, ... */
};

/* Reads all of text, which has one spelling of digits (ladder_digits) and no markup. named: it was
 * said to be the answer, so that what follows a number may be left unread. */
void value_read(struct span text, enum question q, bool named, struct value *ret);
/* Whether it is one of the words that are read as yes or no, which needs nothing of value_read(). */
bool value_is_boolean(struct span word, bool *ret_yes);
enum agreement value_agreement(const struct value *a, const struct value *b, enum question q);
