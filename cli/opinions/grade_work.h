#pragma once
/*
 * grade_work - the work of `plumbline grade`: runs programs from a capture's answers in sandboxes,
 * on worker threads, and records the results.
 */
#include "analyzer/opinions/grade.h"
#include "base/error_tally.h"
#include "capture/capture.h"
#include "cli/recording.h"

#define GRADER "tests" /* the name of the backend in records of grades */

/* True if the leg is a complete grade of this choice of this answer. */
static inline bool grade_is_of(const struct leg_row *grade, struct id answer, int32_t choice)
{
	return (grade->marks & LEG_GRADING) && !(grade->marks & LEG_TRUNCATED) &&
	       grade->score_at == (uint32_t)choice && id_compare(grade->score_of, answer) == 0;
}

struct grade_wish {
	struct grade_limits limits; /* the caller need not set its `stopped` */
	unsigned concurrency;
	uint64_t limit; /* the most programs to run in this call */
	const struct recording *to;
};

struct grade_tally {
	uint64_t
	        wanted; /* first choices of answers to tasks with tests, if they have no grade yet */
	uint64_t already;           /* answers that were graded before */
	uint64_t graded[N_GRADES];  /* answers graded now, by grade */
	struct error_tally unfit;   /* answers that cannot be graded, by reason */
	struct error_tally failed;  /* programs that could not be run */
	struct error_tally failing; /* failures of programs that are wrong, by kind */
	bool stopped;               /* a signal stopped it */
	uint64_t seconds;
};

/* Fills ret->wanted and ret->already. Reads only rows, and rewinds the capture. */
void grade_count(struct capture *c, const struct grade_wish *w, struct grade_tally *ret);
/* Grades the wanted answers. After SIGINT or SIGTERM it begins no further program, and returns. */
void grade_work(struct capture *c, const struct grade_wish *w, struct grade_tally *ret);
void grade_tally_finish(struct grade_tally *t);
