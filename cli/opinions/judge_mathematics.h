#pragma once
/*
 * judge_mathematics - the work of `plumbline judge --with math-verify`: judges the marked values of
 * pairs, in the orders in which they were not judged yet.
 */
#include "capture/capture.h"
#include "cli/opinions/judge_work.h"
#include "cli/opinions/mathematics_work.h"

/* Asks about all pairs of the list, which must be made with judge_options.mathematics. Sets job.use
 * and job.failed itself. A question without an answer counts in ret->failed and leaves no leg. */
void judge_mathematics(struct capture *c, const struct judge_list *list, struct mathematics_job job,
        struct judge_tally *ret);
