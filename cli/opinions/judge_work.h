#pragma once
/*
 * judge_work - the work of `plumbline judge`: pairs out of a capture, through worker threads with a
 * juror each, into a recorder.
 */
#include "analyzer/opinions/opinions.h"
#include "backends/juror.h"
#include "base/error_tally.h"
#include "capture/recorder.h"
#include "cli/opinions/judge_list.h"
#include "cli/opinions/score_backend.h"

#define JUDGE_CONCURRENCY_LIMIT 256

struct judge_tally {
	uint64_t judged;           /* pairs, in the orders that were missing */
	uint64_t replies;          /* recorded */
	uint64_t said[N_OPINIONS]; /* in these */
	uint64_t unclear;          /* of these: without a verdict */
	struct error_tally failed; /* requests */
	bool gone;                 /* the engine can't be reached any more */
	bool stopped;              /* by a signal */
	uint64_t seconds;
};

struct judge_job_settings {
	const struct score_backend *backend;
	struct juror_settings juror;
	unsigned concurrency;
	struct recorder *recorder;
	struct ledger_book *book;
};

/* Asks about all of the list; SIGINT and SIGTERM end it in good order. NULL, or a sentence (the caller
 * frees it). */
char *judge_work(struct capture *c, const struct judge_list *list,
        const struct judge_job_settings *s, struct judge_tally *ret) MUST_CHECK;
void judge_tally_finish(struct judge_tally *t);
