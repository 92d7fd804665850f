#pragma once
/*
 * score_work - the work of `plumbline score`: answers out of a capture, through worker threads with
 * a scorer each, into a recorder.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "backends/identity.h"
#include "backends/scoring/scorer.h"
#include "base/error_tally.h"
#include "capture/capture.h"
#include "capture/ledger.h"
#include "capture/recorder.h"
#include "cli/opinions/score_backend.h"

#define SCORE_CONCURRENCY_LIMIT 256

/* What has become of the answers; under the work's lock while it runs. */
struct score_tally {
	uint64_t wanted;  /* answers that were to be scored now */
	uint64_t already; /* scored by an earlier run */
	uint64_t scored, tokens;
	struct error_tally unable, failed;
	bool gone;        /* the engine can't be reached any more */
	bool stopped;     /* by a signal */
	uint64_t seconds; /* taken, rounded down */
};

struct score_job_settings {
	const struct score_backend *backend;
	struct scorer_settings scorer;
	const struct identity *engine;
	const char *of;    /* whose answers: a backend's name; NULL: the primaries' */
	const char *model; /* NULL: as asked, mapped by the backend's settings */
	unsigned concurrency;
	uint64_t limit; /* of answers, but for those that can't be scored; UINT64_MAX: none */
	struct recorder *recorder;
	struct ledger_book *book;
};

/* Scores what is to be scored; SIGINT and SIGTERM end it in good order. 0, or a sentence (the caller
 * frees it). */
char *score_work(
        struct capture *c, const struct score_job_settings *s, struct score_tally *ret) MUST_CHECK;
void score_tally_finish(struct score_tally *t);
