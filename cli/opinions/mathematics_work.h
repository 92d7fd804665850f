#pragma once
/*
 * mathematics_work - asks Math-Verify about answers, in batches, and records each result as a leg.
 * Each worker thread has one sandbox.
 */
#include "analyzer/opinions/grade.h"
#include "analyzer/opinions/mathematics.h"
#include "base/error_tally.h"
#include "cli/recording.h"

#define MATHEMATICS_JUDGE "math-verify" /* the default name of its records */

struct mathematics_task {
	struct id exchange; /* exchange of the answers */
	/* The legs of the answers, like score_of and judged_against in a leg's row. of: the
	 * answer that is graded, or the first of two. against: the second answer; zero: one
	 * answer is graded. */
	struct id of, against;
	int32_t choice;      /* index of the choice in these legs */
	uint64_t body_bytes; /* bytes of the exchange's request body */
	/* values in LaTeX; if an answer is graded, `first` is the right answer */
	char *first, *second;
	/* mathematics_work() sets these: the result was recorded; the result. */
	bool recorded;
	enum opinion verdict;
};

struct mathematics_tasks { /* zero-initialised: empty */
	struct mathematics_task *items;
	size_t n, cap;
};
/* Takes ownership of the task's texts. */
void mathematics_tasks_add(struct mathematics_tasks *to, const struct mathematics_task *task);
void mathematics_tasks_finish(struct mathematics_tasks *t);

/* The grade of an answer, by Math-Verify's verdict on it and the right answer. */
enum grade_verdict mathematics_grade(enum opinion verdict);

struct mathematics_job {
	/* How to run the library. The caller need not set its `stopped`. */
	struct mathematics library;
	enum mathematics_use use;
	const char *name;    /* name of its records */
	const char *version; /* from mathematics_check() */
	unsigned concurrency;
	const struct recording *to; /* records the results */
	/* Counts tasks without a recorded result, by reason. Does not count tasks that were left
	 * when a signal stopped the work. */
	struct error_tally *failed;
};

/* Sets `recorded` and `verdict` of all tasks. Returns true if SIGINT or SIGTERM stopped it. */
bool mathematics_work(const struct mathematics_job *job, struct mathematics_tasks *tasks);
