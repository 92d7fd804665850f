#pragma once
/*
 * replay_steps - a replay in steps of one rate each (replay/steps.h).
 */
#include "cli/replay/replay_job.h"
#include "replay/steps.h"

/* Sends the job in steps; call it in place of replay_job_send(). The job's figures are then
 * those of all steps together. Its report counts each request of the source once, and repeats
 * only as far as the steps used them. */
void replay_steps_send(struct replay_job *j, struct replay_store *store, struct steps *steps);
