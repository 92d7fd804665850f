#pragma once
/*
 * task - the parts of a request that the comparison of its answers needs.
 */
#include "analyzer/compare/meaning/question.h"
#include "analyzer/compare/meaning/tools.h"
#include "answers/request.h"

struct task { /* zero-initialised: nothing is known */
	enum question question;
	struct tools tools; /* offered by the request */
	struct span gold;   /* the right answer as text, borrowed; empty: not known */
};

/* Reads the question and the tools from the body of a request; keeps no pointer into it. */
void task_read(struct task *t, enum endpoint endpoint, struct span body);
void task_finish(struct task *t);
/* The question as text: the user's last message, or the prompt. Written to `to`, which must be
 * empty. */
void task_words(enum endpoint endpoint, struct span body, struct buf *to);
