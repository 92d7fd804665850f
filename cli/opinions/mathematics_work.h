#pragma once
/*
 * mathematics_work - asks Math-Verify in batches, through workers with one sandbox each, and
 * records each result as a leg.
 */
#include "analyzer/opinions/grade.h"
#include "analyzer/opinions/mathematics.h"
#include "base/error_tally.h"
#include "capture/recorder.h"

#define MATHEMATICS_JUDGE "math-verify" /* the default name of its records */

struct mathematics_task {
	struct id exchange; /* the answers' exchange */
	/* The legs of the answers. of: the answer that is graded, or the first of two. against: the
	 * second answer; zero: one answer is graded. As score_of and judged_against of leg_row. */
	struct id of, against;
	int32_t choice;       /* index of the choice in these legs */
	uint64_t body_bytes;  /* of the exchange's request */
	char *first, *second; /* LaTeX; if an answer is graded, the right answer is first */
	/* Set by mathematics_work(): the result was recorded, and what it is. */
	bool recorded;
	enum opinion verdict;
};

struct mathematics_tasks { /* zero-initialised is empty */
	struct mathematics_task *items;
	size_t n, cap;
};
/* Takes ownership of the texts. */
void mathematics_tasks_add(struct mathematics_tasks *to, const struct mathematics_task *task);
void mathematics_tasks_finish(struct mathematics_tasks *t);

/* The grade of an answer that Math-Verify compared with the right one. */
enum grade_verdict mathematics_grade(enum opinion verdict);

struct mathematics_job {
	/* How to run the library. `stopped` need not be set: mathematics_work() uses a copy with a
	 * flag of its own. */
	struct mathematics library;
	enum mathematics_use use;
	const char *name;    /* name of its records */
	const char *version; /* from mathematics_check() */
	unsigned concurrency;
	struct recorder *recorder;
	struct ledger_book *book;
	/* Counts tasks without a recorded result, by reason; not those that were left when the work
	 * was stopped. */
	struct error_tally *failed;
};

/* Sets `recorded` and `verdict` of all tasks. Returns true if SIGINT or SIGTERM stopped it. */
bool mathematics_work(const struct mathematics_job *job, struct mathematics_tasks *tasks);
