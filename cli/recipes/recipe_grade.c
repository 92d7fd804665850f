/*
 * recipe_grade - grades mathematical values, as `plumbline grade` does, between the campaign and
 * its analysis.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/annotate/grade_answers.h"
#include "cli/recipes/recipe_parts.h"

#define QUESTION_MS 10000
#define MEMORY (UINT64_C(1) << 30)

/* NULL, or why the values cannot be graded here. */
static char *grade(struct grade_job *j, const char *dir)
{
	struct recording to = {0};
	char *error = mathematics_check(&j->library.mathematics, &j->library.version);
	if (!error) {
		error = recording_open(&to, dir, NULL, "{\"grade\":{}}", "grades");
	}
	if (!error) {
		j->to = &to;
		error = grade_values(j);
		(void)recording_close(&to);
	}
	return error;
}

void recipe_grade(const struct recipe *r)
{
	struct grade_job j = {
	        .library.mathematics = {.python = r->python,
	                .question_ms = QUESTION_MS,
	                .memory = MEMORY},
	        .concurrency = annotator_processors(),
	        .limit = UINT64_MAX,
	};
	char *error = NULL;
	const char *dir = r->campaign.dir, *verb = r->verb->verb.name;
	j.capture = capture_open(&dir, 1, &error);
	if (j.capture) {
		grade_list(&j);
	}
	if (j.values.n > 0) {
		error = grade(&j, dir);
	}
	if (j.values.n > 0 && !error) {
		fprintf(stderr,
		        "plumbline %s: Math-Verify graded answers: %" PRIu64 " right, %" PRIu64
		        " wrong, %" PRIu64 " undecided\n",
		        verb, j.graded[GRADE_RIGHT], j.graded[GRADE_WRONG],
		        j.graded[GRADE_UNDECIDED]);
	}
	if (error) {
		fprintf(stderr, "plumbline %s: mathematical values are not graded. %s\n", verb,
		        error);
	}
	free(error);
	capture_close(j.capture);
	grade_job_finish(&j);
}
