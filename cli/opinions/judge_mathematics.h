#pragma once
/*
 * judge_mathematics - carries out `plumbline judge --with math-verify`: judges the marked values of
 * pairs, in those orders that were not judged yet.
 */
#include "capture/capture.h"
#include "cli/opinions/judge_work.h"
#include "cli/opinions/mathematics_work.h"

/* Asks about the whole list, which must contain only pairs with mathematics, and sets job->use
 * and job->failed itself. Questions without an answer count as failed and leave no leg. */
void judge_mathematics(struct capture *c, const struct judge_list *list, struct mathematics_job job,
        struct judge_tally *ret);
