#pragma once
/*
 * replay_steps - a replay in steps of one rate each.
 */
#include "cli/replay/replay_job.h"
#include "replay/steps.h"

/* Instead of replay_job_send(). The job's figures are then those of all steps together. Its report
 * counts each request of the source, and further repeats as far as the steps used them. */
void replay_steps_send(struct replay_job *j, struct replay_store *store, struct steps *steps);
