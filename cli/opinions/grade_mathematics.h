#pragma once
/*
 * grade_mathematics - the part of `plumbline grade` for mathematical tasks: Math-Verify compares
 * the value that an answer marks with the right answer.
 */
#include "cli/opinions/grade_work.h"
#include "cli/opinions/mathematics_work.h"

/*
 * Finds the answers without a grade and adds them as tasks; ret->wanted counts them. Answers
 * without a marked value count in ret->unfit, graded ones in ret->already. Rewinds the capture.
 * limit: the most tasks.
 */
void grade_mathematics_find(struct capture *c, uint64_t limit, struct mathematics_tasks *tasks,
        struct grade_tally *ret);
/* Grades the tasks; it sets job->use, job->name and job->failed itself. */
void grade_mathematics(
        struct mathematics_tasks *tasks, struct mathematics_job job, struct grade_tally *ret);
