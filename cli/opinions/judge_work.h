#pragma once
/*
 * judge_work - the work of `plumbline judge`: asks a judge about pairs from a capture, and records
 * the replies. Each worker thread has one client of the judge model (backends/judge_client.h).
 */
#include "analyzer/opinions/opinions.h"
#include "backends/judge_client.h"
#include "base/error_tally.h"
#include "cli/opinions/judge_list.h"
#include "cli/opinions/score_backend.h"
#include "capture/recording.h"

#define JUDGE_CONCURRENCY_LIMIT 256

struct judge_tally {
	/* number of pairs that were judged in all orders that were missing */
	uint64_t judged;
	uint64_t replies; /* replies that were recorded */
	uint64_t replies_by_opinion[N_OPINIONS];
	uint64_t unclear;          /* replies without a verdict */
	struct error_tally failed; /* failed requests, by reason */
	bool gone;                 /* the engine is unreachable */
	bool stopped;              /* SIGINT or SIGTERM came */
	uint64_t seconds;
};

struct judge_job_settings {
	const struct score_backend *backend;
	struct judge_client_settings client;
	unsigned concurrency;
	const struct recording *to; /* records the replies; must be open */
};

/* Asks about every pair in the list. After SIGINT or SIGTERM it sends no further request, and
 * returns. Returns NULL, or a sentence: why it could not begin. */
char *judge_work(struct capture *c, const struct judge_list *list,
        const struct judge_job_settings *s, struct judge_tally *ret) MUST_CHECK;
void judge_tally_finish(struct judge_tally *t);
