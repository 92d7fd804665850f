/*
 * recipe_grade - grades mathematical values, as `plumbline grade` does, between the campaign and
 * its analysis.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/opinions/annotation_store.h"
#include "cli/opinions/worker_threads.h"
#include "cli/opinions/grade_mathematics.h"
#include "cli/recipes/recipe_parts.h"

#define QUESTION_MS 10000
#define MEMORY (UINT64_C(1) << 30)

/* NULL, or why the values cannot be graded here. */
static char *grade(const char *dir, struct mathematics_job *job, struct mathematics_tasks *tasks,
        struct grade_tally *tally)
{
	struct recording to = {0};
	char *version = NULL, *error = mathematics_check(&job->library, &version);
	if (!error) {
		error = annotation_open(dir, NULL, "{\"grade\":{}}", "grades", &to);
	}
	if (!error) {
		job->version = version;
		job->to = &to;
		grade_mathematics(tasks, *job, tally);
		(void)recording_close(&to);
	}
	free(version);
	return error;
}

void recipe_grade(const struct recipe *r)
{
	struct mathematics_job job = {
	        .library = {.python = r->python, .question_ms = QUESTION_MS, .memory = MEMORY},
	        .concurrency = worker_threads_processors(),
	};
	struct mathematics_tasks tasks = {0};
	struct grade_tally tally = {0};
	char *error = NULL;
	const char *dir = r->campaign.dir;
	struct capture *c = capture_open(&dir, 1, &error);
	if (c) {
		grade_mathematics_find(c, UINT64_MAX, &tasks, &tally);
		capture_close(c);
	}
	if (tasks.n > 0) {
		error = grade(r->campaign.dir, &job, &tasks, &tally);
	}
	uint64_t right = tally.graded[GRADE_RIGHT], wrong = tally.graded[GRADE_WRONG];
	if (tasks.n > 0 && !error) {
		fprintf(stderr,
		        "plumbline %s: Math-Verify graded answers: %" PRIu64 " right, %" PRIu64
		        " wrong, %" PRIu64 " undecided\n",
		        r->verb->verb.name, right, wrong, tally.graded[GRADE_UNDECIDED]);
	}
	if (error) {
		fprintf(stderr, "plumbline %s: mathematical values are not graded. %s\n",
		        r->verb->verb.name, error);
	}
	free(error);
	mathematics_tasks_finish(&tasks);
	grade_tally_finish(&tally);
}
