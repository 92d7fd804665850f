#pragma once
/*
 * grade_work - the work of `plumbline grade`: runs programs from a capture's answers in sandboxes,
 * on worker threads, and records the results.
 */
#include "analyzer/opinions/grade.h"
#include "base/error_tally.h"
#include "capture/capture.h"
#include "capture/recording.h"

#define GRADER "tests" /* name of the backend in the legs that record grades */

/* True if the leg is a complete grade of this choice of this answer. */
static inline bool grade_is_of(const struct leg_row *grade, struct id answer, int32_t choice)
{
	return (grade->marks & LEG_GRADING) && !(grade->marks & LEG_TRUNCATED) &&
	       grade->score_at == (uint32_t)choice && id_compare(grade->score_of, answer) == 0;
}

struct grade_options {
	struct grade_limits limits; /* grade_work() sets `stopped` itself */
	unsigned concurrency;
	uint64_t limit; /* the most programs to run */
	const struct recording *to;
};

struct grade_tally {
	uint64_t answers; /* all answers of the capture */
	/* answers to tasks with tests whose first choice has no grade yet, at most the limit */
	uint64_t wanted;
	uint64_t already; /* answers whose first choice has a grade */
	/* programs graded now, by grade; one for each choice of an answer */
	uint64_t graded[N_GRADES];
	struct error_tally unfit; /* answers and choices that cannot be graded, by reason */
	/* programs that could not be run, or whose grade could not be stored, by reason */
	struct error_tally failed;
	struct error_tally failing; /* programs with GRADE_WRONG, by kind of failure */
	bool stopped;               /* SIGINT or SIGTERM came */
	uint64_t seconds;
	/* The first two backends, if there is no primary and no reference, so that analyze needs
	 * their names; else NULL. */
	char *base, *test;
};

/* Fills `answers`, `wanted`, `already`, `base` and `test` of ret. Reads rows only, from the
 * capture's present position, and rewinds the capture. */
void grade_count(struct capture *c, const struct grade_options *w, struct grade_tally *ret);
/* Grades the choices without a grade, from the capture's present position, and rewinds the
 * capture. After SIGINT or SIGTERM it begins no further program, stops running ones, and
 * returns. */
void grade_work(struct capture *c, const struct grade_options *w, struct grade_tally *ret);
void grade_tally_finish(struct grade_tally *t);
