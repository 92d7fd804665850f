#pragma once
/*
 * replay_notice - prints messages before a replay: which requests it does not send, and why its
 * load may give wrong results.
 */
#include <stdio.h>

#include "replay/campaign/replay_job.h"

/* Prints on standard error why requests cannot be sent: each reason once, with a count. */
void replay_notice_unfit(const struct replay_job *j);
/* Prints why there is nothing to send, and which requests could be selected. */
void replay_notice_nothing(const struct replay_job *j, FILE *to);
/* Warns on standard error if several requests at a time will go to an engine that works
 * correctly only with one at a time. */
void replay_notice_load(const struct replay_job *j);
/* Warns on standard error if only warm-up requests are left. */
void replay_notice_warm_up(const struct replay_job *j);
