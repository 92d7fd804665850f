#pragma once
/*
 * judge_mathematics - the work of `plumbline judge --with math-verify`: judges the marked values of
 * pairs, in those orders that were not judged yet.
 */
#include "capture/capture.h"
#include "cli/opinions/judge_work.h"
#include "cli/opinions/mathematics_work.h"

/* Asks about all pairs of the list, which must come from judge_wish.mathematics. The caller need
 * not set job.use and job.failed. A question without an answer counts as failed and leaves no
 * leg. */
void judge_mathematics(struct capture *c, const struct judge_list *list, struct mathematics_job job,
        struct judge_tally *ret);
