#pragma once
/*
 * primary_leg - an exchange's leg with the primary: the request sent, the answer brought to the client.
 *
 * A part of exchange; loop thread only.
 */
struct exchange;

/* Sends the request; the exchange may have ended on return (a field that can't be passed on). */
void primary_leg_start(struct exchange *e);
/* The client has caught up, or gone. */
void primary_leg_resume(struct exchange *e);
/* Our shutdown: the client learns of it as well as it still can. */
void primary_leg_answer_stopped(struct exchange *e);
