#pragma once
/*
 * opinion - has a model judge two answers to one request: writes the request to the judge, and
 * reads its reply.
 *
 * Anybody may have written the answers, and they may try to address the judge. They are quoted
 * between lines with a random code that their writers cannot know, and the reply counts only if it
 * ends in a verdict of the requested form. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include "backends/dialect.h"
#include "base/buf.h"
#include "base/check.h"

#define OPINION_PROMPT_VERSION 1    /* version of the prompt; it is part of the request */
#define OPINION_ANSWER_LIMIT 16384  /* bytes of an answer; longer ones are not judged, never cut */
#define OPINION_REQUEST_LIMIT 8192  /* bytes of the request's end that are shown */
#define OPINION_CODE_SIZE 33        /* hex digits and a NUL */
#define OPINION_OVERHEAD_BYTES 1100 /* size of the request without the texts, about */

enum opinion {
	OPINION_SAME,
	OPINION_DIFFERENT,
	OPINION_CANNOT_TELL,
	N_OPINIONS,
};
const char *opinion_name(enum opinion o);

struct opinion_question {
	const struct dialect *dialect;
	const char *model;            /* NULL: omitted */
	struct span request;          /* the client's request as text; empty: unknown */
	struct span first, second;    /* the answers, in the order in which they are shown */
	char code[OPINION_CODE_SIZE]; /* made by opinion_code() */
	bool with_schema;             /* response_format requires the form of the verdict */
	int max_tokens;               /* of the reply, with reasoning */
};

/* Makes a random code that occurs in none of the question's texts. Any thread. */
void opinion_code(struct opinion_question *q);
/* True if the engine is believed to support response_format. */
bool opinion_may_use_schema(const struct dialect *d);
/* Appends the body of a chat request. */
void opinion_put(const struct opinion_question *q, struct buf *to);

/*
 * Reads the verdict: the reply must end in a JSON object whose member "verdict" is one of the three
 * words, or in a line with such a word alone. False: neither; *ret is then OPINION_CANNOT_TELL.
 */
bool opinion_read(struct span reply, enum opinion *ret);
