#pragma once
/*
 * judge_work - the work of `plumbline judge`: asks about pairs from a capture, on worker threads
 * with a juror each, and records the replies.
 */
#include "analyzer/opinions/opinions.h"
#include "backends/juror.h"
#include "base/error_tally.h"
#include "capture/recorder.h"
#include "cli/opinions/judge_list.h"
#include "cli/opinions/score_backend.h"

#define JUDGE_CONCURRENCY_LIMIT 256

struct judge_tally {
	uint64_t judged;           /* pairs, in the missing orders */
	uint64_t replies;          /* recorded */
	uint64_t said[N_OPINIONS]; /* replies by opinion */
	uint64_t unclear;          /* replies without a verdict */
	struct error_tally failed; /* requests */
	bool gone;                 /* the engine is unreachable */
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

/* Asks about every pair in the list; SIGINT and SIGTERM end it cleanly. Returns NULL, or a
 * sentence that the caller frees. */
char *judge_work(struct capture *c, const struct judge_list *list,
        const struct judge_job_settings *s, struct judge_tally *ret) MUST_CHECK;
void judge_tally_finish(struct judge_tally *t);
