#pragma once
/*
 * replay_steps - a replay whose open loop goes in steps, one rate after the other.
 */
#include "commands/replay_job.h"
#include "replay/steps.h"

/* In place of replay_job_send(). The job's figures are then of all steps together, and its report counts what was sent as all that
 * was to be, if the steps came to their end. */
void replay_steps_send(struct replay_job *j, struct replay_store *store, struct steps *steps);
