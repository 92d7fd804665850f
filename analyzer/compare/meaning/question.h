#pragma once
/*
 * question - the kind of answer that a prompt asks for, judged by its English words.
 */
#include "base/buf.h"

enum question {
	QUESTION_OPEN,   /* anything, or not known */
	QUESTION_NUMBER, /* how many, calculate, ... */
	QUESTION_CHOICE, /* options with letters are listed */
	QUESTION_YES_NO,
	QUESTION_CODE,
	N_QUESTIONS,
};
const char *question_name(enum question q);

/* prompt: the text of the last user message. */
enum question question_read(struct span prompt);
