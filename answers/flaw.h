#pragma once
/*
 * flaw - why an answer is not whole. Everything that counts or excludes failed answers uses this
 * module or leg_flaw() (capture/leg_flaw.h). Pure.
 *
 * An answer that a limit or a filter cut off is whole, because the engine said so.
 */
#include <stdint.h>

#include "answers/reading.h"

enum flaw {
	FLAW_NONE,
	FLAW_ERROR,          /* the answer has an error object, perhaps in mid-stream */
	FLAW_MALFORMED,      /* a body or an event that is not JSON */
	FLAW_EMPTY,          /* it has no choice, no event or no vector */
	FLAW_ABORTED,        /* the finish reason says that the engine aborted it */
	FLAW_UNFINISHED,     /* it has no finish reason although one was due */
	FLAW_UNKNOWN_FINISH, /* it has a finish reason that plumbline does not know */
	/* only from leg_flaw(): */
	FLAW_OUTCOME, /* the outcome is not OUTCOME_COMPLETE */
	FLAW_STATUS,  /* the status is below 200, or 400 and above */
};

enum flaw flaw_of_marks(uint32_t marks);      /* a set of enum reading_mark */
enum flaw flaw_of_finish(const char *reason); /* judges the finish reason alone; NULL: FLAW_NONE */

#define FLAW_TEXT_SIZE 96
/* Writes the flaw in words. finish: the finish reason, which the text names if it is the flaw;
 * or NULL. */
void flaw_print(enum flaw f, const char *finish, char to[FLAW_TEXT_SIZE]);
