#pragma once
/*
 * recorded_answers - finds a request's recorded answer in a capture, for `plumbline engine --from`.
 *
 * Glossary
 *	take      one recorded answer that can be sent again, whole, or cut off as it was
 *	question  what distinguishes requests: endpoint, prompt (by hash), streamed or not, model
 *	          and parameters. If a question has several takes, requests get them in turn,
 *	          oldest first
 *
 * The index is made once and takes about 150 bytes for each take, and with `nearest` 512 for each
 * question. After that only the turns change, which are atomic: any thread. Answers stay on disk;
 * each thread reads them with a capture of its own.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/engine/recorded_answer.h"
#include "base/error_tally.h"

struct recorded_answers_options {
	const char *dir;
	/* the backend whose answers are used; NULL: the primary's, or all answers of an exchange
	 * without a primary */
	const char *backend;
	bool nearest;      /* an unknown prompt gets the answer to the most similar prompt */
	bool strict_model; /* a model that was not recorded with the prompt gets no answer */
};

struct recorded_answers;

/* Returns NULL, and in *ret_error a sentence that the caller frees, if the directory is no capture
 * or lacks the key of its hashes. */
struct recorded_answers *recorded_answers_open(
        const struct recorded_answers_options *o, char **ret_error);
void recorded_answers_close(
        struct recorded_answers *t); /* close all readers before; NULL is fine */

struct recorded_answers_summary {
	size_t n_takes, n_questions;
	/* recorded answers that cannot be sent again, by reason; and problems of the capture */
	struct error_tally left_out;
	/* the models that the recorded requests name, without duplicates */
	char **models;
	size_t n_models;
};
const struct recorded_answers_summary *recorded_answers_summary(const struct recorded_answers *t);
/* A reader of the same answers for another thread, which calls capture_close(). NULL: the
 * capture cannot be read any more. */
struct capture *recorded_answers_reader(const struct recorded_answers *t);

enum recorded_answers_match {
	RECORDED_ANSWERS_EXACT,   /* this request was recorded */
	RECORDED_ANSWERS_PROMPT,  /* this prompt was recorded, with other parameters or model */
	RECORDED_ANSWERS_NEAREST, /* a similar prompt was recorded */
	/* The following have no answer. */
	RECORDED_ANSWERS_UNKNOWN,     /* the prompt was not recorded */
	RECORDED_ANSWERS_OTHER_FORM,  /* it was recorded, but only streamed, or only not streamed */
	RECORDED_ANSWERS_OTHER_MODEL, /* strict_model: it was recorded, but not with this model */
	RECORDED_ANSWERS_NO_PROMPT,   /* not JSON, or a path at which plumbline reads no prompt */
};

struct recorded_answers_found {
	enum recorded_answers_match match;
	double similarity; /* RECORDED_ANSWERS_NEAREST: from 0 to 1 */
	struct id exchange, leg;
	/* take: the number of the take, from 1; takes: how many the question has */
	uint32_t take, takes;
};

/* Finds an answer, and advances the question to its next take. */
void recorded_answers_find(struct recorded_answers *t, enum endpoint endpoint, struct span body,
        const struct request_facts *facts, struct recorded_answers_found *ret);
/* Reads the answer. c: this thread's reader. requested: the client's. Returns 0 or a negative
 * errno. */
int recorded_answers_load(struct recorded_answers *t, struct capture *c,
        const struct recorded_answers_found *found, const struct request_facts *requested,
        struct recorded_answer *ret) MUST_CHECK;
