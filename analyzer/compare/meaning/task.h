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
	/* the right answer as text, which the caller sets and owns; empty: not known */
	struct span gold;
};

/* Sets t->question and adds the tools of the request to t->tools; t->gold stays as it is. body: the
 * request's body; no pointer into it is kept. */
void task_read(struct task *t, enum endpoint endpoint, struct span body);
void task_finish(struct task *t);
/* Writes the text of the user's last message, or the prompt, to `to`, which must be empty;
 * nothing if the body has neither. */
void task_words(enum endpoint endpoint, struct span body, struct buf *to);
