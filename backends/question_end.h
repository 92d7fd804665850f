#pragma once
/*
 * question_end - how a question about a recorded answer ended: a request for its scores, or for an
 * opinion.
 */
#include "backends/transport/call.h"

enum question_end {
	QUESTION_DONE,
	QUESTION_UNABLE,  /* this answer allows no such question, now or later */
	QUESTION_FAILED,  /* a later question may succeed */
	QUESTION_TIMEOUT, /* the engine did not answer in time */
	QUESTION_NO_ROOM, /* the budget has no room for the engine's answer */
	QUESTION_GONE,    /* the engine can't be reached */
	QUESTION_STOPPED, /* a later run asks again */
};

/* The end of a question whose call brought no usable answer. */
static inline enum question_end question_end_of_call(enum call_end end)
{
	return end == CALL_REFUSED   ? QUESTION_GONE
	       : end == CALL_TIMEOUT ? QUESTION_TIMEOUT
	       : end == CALL_STOPPED ? QUESTION_STOPPED
	                             : QUESTION_FAILED;
}
