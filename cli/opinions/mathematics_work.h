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
	struct id exchange, of,
	        against; /* the legs, as in leg_row; against: zero if one answer is graded */
	int32_t choice;
	uint64_t body_bytes;  /* of the exchange's request */
	char *first, *second; /* LaTeX; if an answer is graded, the right answer is first */
	bool recorded;        /* on return */
	enum opinion verdict; /* if so */
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
	struct mathematics library; /* `stopped` is set by mathematics_work() */
	enum mathematics_use use;
	const char *name;    /* name of its records */
	const char *version; /* from mathematics_check() */
	unsigned concurrency;
	struct recorder *recorder;
	struct ledger_book *book;
	struct error_tally
	        *failed; /* counts tasks without a recorded result, unless it was stopped */
};

/* Sets `recorded` and `verdict` of all tasks. Returns true if SIGINT or SIGTERM stopped it. */
bool mathematics_work(const struct mathematics_job *job, struct mathematics_tasks *tasks);
