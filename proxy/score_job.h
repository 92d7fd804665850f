#pragma once
/*
 * score_job - one answer that waits for one reference to score it: the bytes of request and answer,
 * and how to score them.
 *
 * When it ends, the reference's book counts it: as recorded (a leg), dropped with a cause, or
 * excluded. A loop thread creates it, a thread of the score pool runs it.
 */
#include "backends/leg.h"
#include "backends/scoring/scorer.h"
#include "base/chunk.h"
#include "base/list.h"
#include "capture/recorder/ledger.h"
#include "proxy/config_snapshot.h"

struct score_source { /* the caller owns all of it */
	struct config_snapshot *snapshot;
	struct backend_state *backend;           /* the reference that scores */
	const struct backend_settings *settings; /* in the snapshot's settings */
	struct id exchange;
	const struct leg *leg; /* the leg with the answer, which has not ended yet */
	const char *model;     /* as the client asked for it */
	uint64_t body_bytes;   /* bytes of the exchange's request body */
	const struct chunks *request, *answer;
};

struct score_job {
	struct list link; /* in the queue of score_pool */
	struct config_snapshot *snapshot;
	struct backend_state *backend;
	const struct backend_settings *settings;
	struct budget *budget;
	struct id exchange, leg;
	struct reading_hints hints;
	char *coding; /* content coding of the answer's body; or NULL */
	char *model;
	uint64_t body_bytes;
	struct chunks request, answer;
	size_t weight; /* bytes that it has reserved in the backend's queue */
};

/* Makes a job and reserves room for it in the backend's queue. Who takes the job out of the queue
 * must give the room back with backend_state_dequeue(). Returns NULL, and in *ret_cause the cause,
 * if there is no memory (DROP_MEMORY) or no room in the queue (DROP_QUEUE); the caller must then
 * count the answer in the book. */
struct score_job *score_job_create(const struct score_source *from, struct budget *budget,
        enum ledger_drop *ret_cause) MUST_CHECK;
/* The following functions count the answer in the reference's book and free the job.
 * score_job_run() has the answer scored and records the score; in_flight: number of requests to
 * the reference now. why: as in backend_state_count_unscorable(). */
void score_job_run(
        struct score_job *job, struct scorer *s, struct recorder *recorder, unsigned in_flight);
void score_job_drop(struct score_job *job, enum ledger_drop cause);
/* Returns true if this is the backend's first answer with this reason. */
bool score_job_exclude(struct score_job *job, const char *why);
