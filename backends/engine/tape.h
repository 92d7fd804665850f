#pragma once
/*
 * tape - the answers of a capture, found by what was asked: what `plumbline engine --from` serves.
 *
 * Glossary
 *	take      one recorded answer that can be given again, whole or broken off as it was
 *	question  what got the takes: endpoint, prompt (by its hash), streamed or not, model and parameters;
 *	          several takes of one question are given in turn, oldest first, then again
 *
 * The index is made once, about 150 bytes a take, and then read-only but for the turns, which are atomic: any
 * thread. Answers themselves stay on the disk; each thread reads them by a capture of its own.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/engine/recording.h"

struct tape_options {
	const char *dir;
	const char *
	        backend; /* its answers; NULL: the primary's, or, of an exchange without them, all */
	bool nearest;    /* an unknown prompt gets the answer to the most similar one */
	bool strict_model; /* a model that was not recorded for the prompt gets none */
};

struct tape;

/* NULL and a sentence (the caller frees it): no capture. */
struct tape *tape_open(const struct tape_options *o, char **ret_error);
void tape_close(struct tape *t); /* NULL is fine; readers are closed before */

size_t tape_takes(const struct tape *t);
size_t tape_questions(const struct tape *t);
const struct error_tally *tape_left_out(
        const struct tape *t); /* answers that can't be given, and why */
/* What was asked for, each once, sorted; n of them. */
const char *const *tape_models(const struct tape *t, size_t *ret_n);
/* Another reader of the same answers, for another thread; NULL: the capture can't be read any more. */
struct capture *tape_reader(const struct tape *t);

enum tape_match {
	TAPE_EXACT,   /* this was asked */
	TAPE_PROMPT,  /* this prompt was, with other parameters or of another model */
	TAPE_NEAREST, /* a similar one was */
	/* From here on there is no answer. */
	TAPE_UNKNOWN,     /* the prompt was not recorded */
	TAPE_OTHER_FORM,  /* it was, but only streamed, or only not streamed */
	TAPE_OTHER_MODEL, /* it was, but for no such model */
	TAPE_NO_PROMPT,   /* not JSON, or nothing at this path that has a prompt */
};

struct tape_found {
	enum tape_match match;
	double similarity; /* of TAPE_NEAREST */
	struct id exchange, leg;
	uint32_t take, takes; /* the how manieth of how many, from 1 */
};

/* Counts as the question's turn. */
void tape_find(struct tape *t, enum endpoint endpoint, struct span body,
        const struct request_facts *facts, struct tape_found *ret);
/* 0, or negative errno. c: this thread's reader. */
int tape_load(struct tape *t, struct capture *c, const struct tape_found *found,
        const struct request_facts *asked, struct recording *ret) MUST_CHECK;
