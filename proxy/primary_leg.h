#pragma once
/*
 * primary_leg - an exchange's leg with the primary: sends the request and passes the answer on to
 * the client. Part of exchange; loop thread only.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/leg.h"
#include "backends/transport/upstream.h"

struct exchange;

struct primary_leg {
	struct upstream *upstream; /* NULL: no request is running */
	struct leg leg;
	bool paused;       /* reading the answer is paused, because the client reads too slowly */
	uint64_t sent_ns;  /* clock_mono() ns; start of the last attempt; 0: none began */
	uint64_t ended_ns; /* clock_mono() ns; when the transport ended it */
	uint64_t head_us;  /* microseconds from the request's head to the answer's; 0: none came */
};

/* Begins to send the request, whose body may still be arriving. Ends the exchange if the
 * transport refuses a field. */
void primary_leg_start(struct exchange *e);
/* Call when the client has read what was queued, or has gone. Resumes reading the answer if that
 * was paused. */
void primary_leg_resume(struct exchange *e);
/* Call when there is more of the request's body for the transport to read. */
void primary_leg_body_ready(struct exchange *e);
/* Cancels the request; the exchange ends when the leg has ended. False: no request is running. */
bool primary_leg_cancel(struct exchange *e);
/* Ends the leg and records its row, if a leg has begun. text: the reason in words, or NULL. */
void primary_leg_finish(struct exchange *e, enum outcome outcome, const char *text);
/* Takes the leg of the first attempt away from the exchange, without ending it; the caller then
 * owns it. */
struct leg *primary_leg_detach(struct exchange *e);
/* Discards the present leg and puts `first` (from primary_leg_detach()) back in its place. */
void primary_leg_restore(struct exchange *e, struct leg *first);
/* Call when the proxy stops. Answers with 503, or aborts the answer if it has begun. */
void primary_leg_answer_stopped(struct exchange *e);
