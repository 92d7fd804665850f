#pragma once
/*
 * grade_mathematics - the part of `plumbline grade` that grades answers to tasks whose right answer
 * is mathematical: Math-Verify compares the value that an answer marks with it.
 */
#include "cli/opinions/grade_work.h"
#include "cli/opinions/mathematics_work.h"

/*
 * The answers that have no grade yet: as tasks, whose number is added to ret->wanted. Those that
 * mark no value are counted in ret->unfit, and graded ones in ret->already. The capture is rewound.
 * limit: of tasks.
 */
void grade_mathematics_find(struct capture *c, uint64_t limit, struct mathematics_tasks *tasks,
        struct grade_tally *ret);
/* Grades them; job->use, job->name and job->failed are not for the caller. */
void grade_mathematics(
        struct mathematics_tasks *tasks, struct mathematics_job job, struct grade_tally *ret);
