#pragma once
/*
 * mathematics_work - puts questions to Math-Verify in batches, through workers with a sandbox each,
 * and records each verdict as a leg.
 */
#include "analyzer/opinions/mathematics.h"
#include "base/error_tally.h"
#include "capture/recorder.h"

#define MATHEMATICS_JUDGE                                                                          \
	"math-verify" /* the name under which it is recorded, unless another one is given */

struct mathematics_task {
	struct id exchange, of,
	        against; /* the legs as leg_row has them; against: zero when one answer is graded */
	int32_t choice;
	uint64_t body_bytes;  /* of the exchange's request */
	char *first, *second; /* LaTeX; when an answer is graded the right one is first */
	bool recorded;        /* on return */
	enum opinion verdict; /* if so */
};

struct mathematics_tasks { /* zero-initialised is empty */
	struct mathematics_task *items;
	size_t n, cap;
};
/* Takes the texts. */
void mathematics_tasks_add(struct mathematics_tasks *to, const struct mathematics_task *task);
void mathematics_tasks_finish(struct mathematics_tasks *t);

struct mathematics_job {
	struct mathematics library; /* stopped is not for the caller */
	enum mathematics_use use;
	const char *name;    /* under which its verdicts are recorded */
	const char *version; /* as mathematics_check() says it */
	unsigned concurrency;
	struct recorder *recorder;
	struct ledger_book *book;
	struct error_tally *
	        failed; /* tasks without a recorded verdict are counted here, unless it was stopped */
};

/* Fills `recorded` and `verdict` of all tasks. SIGINT and SIGTERM end it in good order, and it
 * returns true. */
bool mathematics_work(const struct mathematics_job *job, struct mathematics_tasks *tasks);
