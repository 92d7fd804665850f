#pragma once
/*
 * replay_steps - a replay in steps of one rate each (replay/steps.h).
 */
#include "replay/campaign/replay_job.h"
#include "replay/steps.h"

/* Sends the job in steps; call it in place of replay_job_send(). Initialises *steps. Adds the
 * figures of all steps to the job's. The plan may have more repeats than --repeats says, to supply
 * the steps; j->report counts such a send only if it was recorded or its time came in a step. */
void replay_steps_send(struct replay_job *j, struct replay_store *store, struct steps *steps);
