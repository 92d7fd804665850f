#pragma once
/*
 * grade_work - the work of `plumbline grade`: programs out of a capture's answers, through workers
 * that run them in sandboxes, into a recorder.
 */
#include "analyzer/opinions/grade.h"
#include "base/error_tally.h"
#include "capture/capture.h"
#include "cli/opinions/aside_store.h"

#define GRADER "tests" /* the name under which grades are recorded */

struct grade_wish {
	struct grade_limits limits; /* stopped is not for the caller */
	unsigned concurrency;
	uint64_t limit; /* of programs that are run now */
	struct aside_store *store;
};

struct grade_tally {
	uint64_t wanted;  /* answers to tasks with tests, not yet graded; of the first choices */
	uint64_t already; /* graded before */
	uint64_t graded[N_GRADES];
	struct error_tally unfit;   /* answers that can't be graded, by why */
	struct error_tally failed;  /* programs that could not be run */
	struct error_tally failing; /* what the wrong ones failed with, by kind */
	bool stopped;               /* by a signal */
	uint64_t seconds;
};

/* Rows alone: fills wanted and already. The capture is rewound. */
void grade_count(struct capture *c, const struct grade_wish *w, struct grade_tally *ret);
/* Grades them. SIGINT and SIGTERM end it in good order. */
void grade_work(struct capture *c, const struct grade_wish *w, struct grade_tally *ret);
void grade_tally_finish(struct grade_tally *t);
