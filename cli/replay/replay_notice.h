#pragma once
/*
 * replay_notice - what is said before a replay sends: which requests it does not send, and what
 * the load may break.
 */
#include <stdio.h>

#include "cli/replay/replay_job.h"

/* Why requests of the job's source can't be sent, on standard error: each kind of reason once,
 * with a count. */
void replay_notice_unfit(const struct replay_job *j);
/* Why there is nothing to send at all, and what there would be to choose from. */
void replay_notice_nothing(const struct replay_job *j, FILE *to);
/* On standard error, if more than one request at a time goes to an engine that a second one
 * breaks. */
void replay_notice_load(const struct replay_job *j);
/* On standard error, if all that is left to send is to warm up. */
void replay_notice_warm_up(const struct replay_job *j);
