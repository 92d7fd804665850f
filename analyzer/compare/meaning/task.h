#pragma once
/*
 * task - what a request asks for, as far as comparing its answers needs it.
 */
#include "analyzer/compare/meaning/question.h"
#include "analyzer/compare/meaning/tools.h"
#include "answers/request.h"

struct task { /* zero-initialised: nothing is known */
	enum question question;
	struct tools tools; /* those that the request offered */
	struct span gold;   /* the right answer in words, borrowed; empty: it is not known */
};

/* Reads the question and the tools from a request's body, of which nothing is kept. */
void task_read(struct task *t, enum endpoint endpoint, struct span body);
void task_finish(struct task *t);
/* What was asked in words: the user's last message, or the prompt. Into `to`, which is empty. */
void task_words(enum endpoint endpoint, struct span body, struct buf *to);
