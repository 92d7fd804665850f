#pragma once
/*
 * mathematics_work - asks Math-Verify about answers, in batches, and records each result as a leg.
 * Each worker thread has one sandbox.
 */
#include "analyzer/opinions/grade.h"
#include "analyzer/opinions/mathematics.h"
#include "base/error_tally.h"
#include "capture/recording.h"

/* default name of the backend in the legs that it records */
#define MATHEMATICS_JUDGE "math-verify"

struct mathematics_task {
	struct id exchange; /* exchange of the answers */
	/* Ids of the legs with the answers, as score_of and judged_against of a leg's row. `of`:
	 * the answer that is graded, or the first of two that are compared. `against`: the
	 * second answer; zero: one answer is graded. */
	struct id of, against;
	int32_t choice;      /* index of the choice in these legs */
	uint64_t body_bytes; /* bytes of the exchange's request body */
	/* values in LaTeX. Two answers: of the first and of the second. One answer: the right
	 * answer, then the marked value */
	char *first, *second;
	/* Results of mathematics_work(): the verdict was recorded; the verdict. */
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
	/* How to run the library. mathematics_work() sets `stopped` itself. */
	struct mathematics library;
	enum mathematics_use use;
	const char *name;    /* name of the backend in the legs that it records */
	const char *version; /* from mathematics_check() */
	unsigned concurrency;
	const struct recording *to; /* records the verdicts; must be open */
	/* Counts tasks without a recorded verdict, by reason; but not those that were left when
	 * a signal stopped the work. */
	struct error_tally *failed;
};

/* Asks about all tasks. Returns true if SIGINT or SIGTERM stopped it. */
bool mathematics_work(const struct mathematics_job *job, struct mathematics_tasks *tasks);
