#pragma once
/*
 * flaw - why an answer is not whole. Everything that counts or excludes failed answers uses this
 * and leg_flaw().
 *
 * Flaws are a stream without a finish reason, an error within an answer, an empty answer, and an
 * answer that the engine aborted. An answer that a limit or a filter cut is whole: the engine said
 * so.
 */
#include <stdint.h>

#include "answers/reading.h"

enum flaw {
	FLAW_NONE,
	FLAW_ERROR,          /* an error object, also within a stream */
	FLAW_MALFORMED,      /* a body or an event that is not JSON */
	FLAW_EMPTY,          /* no choice, no event, no vector */
	FLAW_ABORTED,        /* the finish reason says that the engine gave up */
	FLAW_UNFINISHED,     /* no finish reason where one was due */
	FLAW_UNKNOWN_FINISH, /* a finish reason that is not known */
	/* Of a leg; see leg_flaw(). */
	FLAW_OUTCOME,
	FLAW_STATUS,
};

enum flaw flaw_of_marks(uint32_t marks);      /* enum reading_mark */
enum flaw flaw_of_finish(const char *reason); /* by the finish reason alone; NULL: FLAW_NONE */

#define FLAW_TEXT_SIZE 96
/* The flaw in words, with the finish reason (or NULL) where that is the flaw. */
void flaw_print(enum flaw f, const char *finish, char to[FLAW_TEXT_SIZE]);
