#pragma once
/*
 * primary_leg - an exchange's leg with the primary: sends the request and brings the answer to the
 * client. Part of exchange; loop thread only.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/leg.h"
#include "backends/transport/upstream.h"

struct exchange;

struct primary_leg {
	struct upstream *upstream; /* NULL: no request is running */
	struct leg leg;
	bool paused;       /* the answer is not read, because the client is behind */
	uint64_t sent_ns;  /* monotonic; when the last attempt began; 0: none has */
	uint64_t ended_ns; /* monotonic; when the transport ended it */
	uint64_t head_us;  /* from the request's head to the answer's; 0: none came */
};

/* Sends the request. The exchange may have ended on return: the transport refused a field. */
void primary_leg_start(struct exchange *e);
/* The client has caught up, or has gone: reads the answer again, if that was paused. */
void primary_leg_resume(struct exchange *e);
/* More of the request's body can be pulled. */
void primary_leg_body_ready(struct exchange *e);
/* Cancels the request; the exchange ends when the leg has ended. False: nothing is running. */
bool primary_leg_cancel(struct exchange *e);
/* Ends the leg and records its row, if a leg has begun. */
void primary_leg_finish(struct exchange *e, enum outcome outcome, const char *text);
/* Stops the leg of the first attempt and detaches it; the caller then owns the leg. */
struct leg *primary_leg_detach(struct exchange *e);
/* Discards the present leg and puts `first` (from primary_leg_detach()) back in its place. */
void primary_leg_restore(struct exchange *e, struct leg *first);
/* Shutdown: answers 503, or aborts the answer that has begun. */
void primary_leg_answer_stopped(struct exchange *e);
