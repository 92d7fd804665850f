#pragma once
/*
 * opinion - having a model judge two answers to one request: the request that asks it, and what it
 * says in reply.
 *
 * The answers may have been written by anybody and may address the judge. They are quoted between
 * lines that carry a code which nobody could know, and the reply counts only where it ends in a
 * verdict of the form asked for. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include "backends/dialect.h"
#include "base/buf.h"
#include "base/check.h"

#define OPINION_PROMPT_VERSION 1    /* of the words that ask; stands in the request */
#define OPINION_ANSWER_LIMIT 16384  /* bytes of an answer: a longer one is not judged, never cut */
#define OPINION_REQUEST_LIMIT 8192  /* bytes of the request that are shown: its end */
#define OPINION_CODE_SIZE 33        /* hex digits and a NUL */
#define OPINION_OVERHEAD_BYTES 1100 /* about what the request has beside the texts */

enum opinion {
	OPINION_SAME,
	OPINION_DIFFERENT,
	OPINION_CANNOT_TELL,
	N_OPINIONS,
};
const char *opinion_name(enum opinion o);

struct opinion_question {
	const struct dialect *dialect;
	const char *model;            /* NULL: left out */
	struct span request;          /* what was asked, in words; empty: not known */
	struct span first, second;    /* the answers, in the order in which they are shown */
	char code[OPINION_CODE_SIZE]; /* as opinion_code() made it */
	bool with_schema;             /* response_format asks for the verdict's form */
	int max_tokens;               /* of the reply, thinking included */
};

/* A random code that is in none of the question's texts. Any thread. */
void opinion_code(struct opinion_question *q);
/* Does the engine take a response_format, as far as is known? */
bool opinion_may_use_schema(const struct dialect *d);
/* The body of a chat request, appended. */
void opinion_put(const struct opinion_question *q, struct buf *to);

/*
 * What the reply comes to: its end must be a JSON object whose member "verdict" is one of the three
 * words, or a line with such a word alone. False: it is neither, and *ret is OPINION_CANNOT_TELL.
 */
bool opinion_read(struct span reply, enum opinion *ret);
