#pragma once
/*
 * engine_problem - why the simulated engine does not answer a request: the content of OpenAI's
 * error object. Pure.
 */
#include <stdbool.h>

#include "base/buf.h"
#include "base/check.h"

struct engine_problem {
	int status; /* the HTTP status */
	char message[256];
	const char *param; /* the member that is wrong: static, or NULL */
};

/* Fills *ret with status 400, and returns false. A long message is cut. */
bool engine_problem_set(struct engine_problem *ret, const char *param, const char *format, ...)
        PRINTF(3, 4);
/* Appends the error object as JSON. param may be NULL. */
void engine_problem_put(int status, const char *message, const char *param, struct buf *to);
