#pragma once
/*
 * tape - the answers of a capture, found by request: what `plumbline engine --from` serves.
 *
 * Glossary
 *	take      one recorded answer that can be given again, whole or cut as it was
 *	question  what the takes answer: endpoint, prompt (by hash), streamed or not, model and
 *	          parameters; several takes of one question are given in turn, oldest first, then
 *	          again
 *
 * The index is made once, with about 150 bytes a take. Then it is read-only except for the turns,
 * which are atomic: any thread. Answers stay on disk; each thread reads them with a capture of its
 * own.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/engine/recording.h"

struct tape_options {
	const char *dir;
	const char *
	        /* the backend whose answers are used; NULL: the primary's, or all answers of an
	         * exchange that has none of the primary */
	        backend;
	bool nearest;      /* an unknown prompt gets the answer to the most similar one */
	bool strict_model; /* no answer for a model that was not recorded with the prompt */
};

struct tape;

/* Returns NULL and a sentence that the caller frees if it is no capture. */
struct tape *tape_open(const struct tape_options *o, char **ret_error);
void tape_close(struct tape *t); /* NULL is fine; readers are closed before */

size_t tape_takes(const struct tape *t);
size_t tape_questions(const struct tape *t);
const struct error_tally *tape_left_out(
        const struct tape *t); /* answers that cannot be given, by reason */
/* The models that the recorded requests asked for, without duplicates, sorted; *ret_n of them. */
const char *const *tape_models(const struct tape *t, size_t *ret_n);
/* Another reader of the same answers, for another thread; NULL: the capture cannot be read any
 * more. */
struct capture *tape_reader(const struct tape *t);

enum tape_match {
	TAPE_EXACT,   /* this request was recorded */
	TAPE_PROMPT,  /* this prompt was recorded, with other parameters or another model */
	TAPE_NEAREST, /* a similar prompt was recorded */
	/* The following have no answer. */
	TAPE_UNKNOWN,     /* the prompt was not recorded */
	TAPE_OTHER_FORM,  /* it was recorded, but only streamed, or only not streamed */
	TAPE_OTHER_MODEL, /* it was recorded, but not with this model */
	TAPE_NO_PROMPT,   /* not JSON, or nothing at this path that has a prompt */
};

struct tape_found {
	enum tape_match match;
	double similarity; /* of TAPE_NEAREST */
	struct id exchange, leg;
	uint32_t take, takes; /* number of the take, from 1, and how many there are */
};

/* Finds the answer and advances the question's turn. */
void tape_find(struct tape *t, enum endpoint endpoint, struct span body,
        const struct request_facts *facts, struct tape_found *ret);
/* Returns 0 or a negative errno. c: this thread's reader. */
int tape_load(struct tape *t, struct capture *c, const struct tape_found *found,
        const struct request_facts *asked, struct recording *ret) MUST_CHECK;
