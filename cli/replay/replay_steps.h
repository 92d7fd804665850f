#pragma once
/*
 * replay_steps - a replay whose open loop goes in steps, one rate after the other.
 */
#include "cli/replay/replay_job.h"
#include "replay/steps.h"

/* In place of replay_job_send(). The job's figures are then of all steps together. Its report counts each request of the source, and
 * of further repeats what the steps came to. */
void replay_steps_send(struct replay_job *j, struct replay_store *store, struct steps *steps);
