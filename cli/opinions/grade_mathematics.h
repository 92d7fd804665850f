#pragma once
/*
 * grade_mathematics - the part of `plumbline grade` for mathematical tasks: the Python library
 * Math-Verify compares the value that an answer marks, for example by \boxed{}, with the right
 * answer.
 */
#include "cli/opinions/grade_work.h"
#include "cli/opinions/mathematics_work.h"

/*
 * Adds the answers without a grade to *tasks, at most `limit`. Counts in *ret: `wanted` is their
 * number, `unfit` answers without a marked value, `already` answers with a grade. Rewinds the
 * capture.
 */
void grade_mathematics_find(struct capture *c, uint64_t limit, struct mathematics_tasks *tasks,
        struct grade_tally *ret);
/* Grades the tasks and counts the results in *ret. Sets job.use, job.name and job.failed itself. */
void grade_mathematics(
        struct mathematics_tasks *tasks, struct mathematics_job job, struct grade_tally *ret);
