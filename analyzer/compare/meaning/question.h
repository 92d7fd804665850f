#pragma once
/*
 * question - the kind of answer that a prompt asks for, judged by its English words.
 */
#include "base/buf.h"

enum question {
	QUESTION_OPEN,   /* none of the other kinds, or not known */
	QUESTION_NUMBER, /* how many, calculate, ... */
	QUESTION_CHOICE, /* the prompt lists options, each with a letter, on lines of their own */
	QUESTION_YES_NO,
	QUESTION_CODE,
	N_QUESTIONS,
};
const char *question_name(enum question q);

/* prompt: the text of the last user message; only its last 64 KiB are read. */
enum question question_read(struct span prompt);
