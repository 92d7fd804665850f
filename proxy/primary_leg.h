#pragma once
/*
 * primary_leg - an exchange's leg with the primary: sends the request and brings the answer to the
 * client. Part of exchange; loop thread only.
 */
struct exchange;

/* Sends the request. The exchange may have ended on return: the transport refused a field. */
void primary_leg_start(struct exchange *e);
/* The client has caught up, or has gone: reads the answer again, if that was paused. */
void primary_leg_resume(struct exchange *e);
/* Shutdown: answers 503, or aborts the answer that has begun. */
void primary_leg_answer_stopped(struct exchange *e);
