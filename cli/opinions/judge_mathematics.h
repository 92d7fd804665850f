#pragma once
/*
 * judge_mathematics - the work of `plumbline judge --with math-verify`: the marked values of pairs,
 * in the orders that are missing.
 */
#include "capture/capture.h"
#include "cli/opinions/judge_work.h"
#include "cli/opinions/mathematics_work.h"

/* Asks about all of the list, whose wish was for mathematics; job->use and job->failed are not for
 * the caller. What no sandbox answered is counted as failed and leaves no leg. */
void judge_mathematics(struct capture *c, const struct judge_list *list, struct mathematics_job job,
        struct judge_tally *ret);
