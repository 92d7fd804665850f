#pragma once
/*
 * judge_opinion - asks a model whether two answers to one request say the same: writes the request
 * to this judge, and reads its reply.
 *
 * Anybody may have written the answers, and may try to address the judge. So the answers are quoted
 * between lines with a random code that their writers cannot know, and the reply counts only if it
 * ends with a verdict of the requested form. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include "backends/dialects/dialect.h"
#include "base/buf.h"
#include "base/check.h"

#define OPINION_PROMPT_VERSION 1 /* version of the prompt; a part of the request */
/* bytes of an answer; a longer one is not judged, and never cut */
#define OPINION_ANSWER_LIMIT 16384
/* the most bytes of the client's request that are shown: its end */
#define OPINION_REQUEST_LIMIT 8192
#define OPINION_CODE_SIZE 33        /* hex digits and a NUL */
#define OPINION_OVERHEAD_BYTES 1100 /* approximate bytes of the request without the texts */

enum opinion {
	OPINION_SAME,
	OPINION_DIFFERENT,
	OPINION_CANNOT_TELL,
	N_OPINIONS,
};
const char *opinion_name(enum opinion o);

struct opinion_question {
	const struct dialect *dialect;
	const char *model;            /* NULL: the request names none */
	struct span request;          /* the client's request as text; empty: unknown */
	struct span first, second;    /* the answers, in the order in which they are shown */
	char code[OPINION_CODE_SIZE]; /* made by opinion_code() */
	bool with_schema;             /* response_format demands the form of the verdict */
	int max_tokens;               /* limit of the reply, including reasoning */
};

/* Makes a random code that occurs in none of the question's texts. Any thread. */
void opinion_code(struct opinion_question *q);
/* True if the dialect's engine supports response_format, as far as plumbline knows. */
bool opinion_may_use_schema(const struct dialect *d);
/* Appends the body of a chat request. */
void opinion_put(const struct opinion_question *q, struct buf *to);

/*
 * Reads the verdict. The reply must end with a JSON object whose member "verdict" is one of the
 * three words, or with a line that is only one of these words. False: it does not; *ret is then
 * OPINION_CANNOT_TELL.
 */
bool opinion_read(struct span reply, enum opinion *ret);
