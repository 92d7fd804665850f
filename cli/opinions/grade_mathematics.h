#pragma once
/*
 * grade_mathematics - the part of `plumbline grade` for mathematical tasks: Math-Verify compares
 * the value that an answer marks with the right answer.
 */
#include "cli/opinions/grade_work.h"
#include "cli/opinions/mathematics_work.h"

/*
 * Finds the answers without a grade and adds them as tasks, at most `limit`; ret->wanted counts
 * them. ret->unfit counts answers without a marked value, ret->already those that have a grade.
 * Rewinds the capture.
 */
void grade_mathematics_find(struct capture *c, uint64_t limit, struct mathematics_tasks *tasks,
        struct grade_tally *ret);
/* Grades the tasks. The caller need not set job.use, job.name and job.failed. */
void grade_mathematics(
        struct mathematics_tasks *tasks, struct mathematics_job job, struct grade_tally *ret);
