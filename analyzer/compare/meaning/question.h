#pragma once
/*
 * question - what kind of answer a prompt asks for, as far as its English words say.
 */
#include "base/buf.h"

enum question {
	QUESTION_OPEN,   /* anything, or it is not known */
	QUESTION_NUMBER, /* how many, calculate, ... */
	QUESTION_CHOICE, /* options with letters are listed */
	QUESTION_YES_NO,
	QUESTION_CODE,
	N_QUESTIONS,
};
const char *question_name(enum question q);

/* By the last user message. */
enum question question_read(struct span prompt);
