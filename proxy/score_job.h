#pragma once
/*
 * score_job - one answer that waits to be scored by one reference: the bytes of request and
 * answer, and how to score them.
 *
 * It ends in the reference's book in any case: as a recorded leg, dropped by a cause, or excluded.
 * A loop thread makes it, a thread of the score pool runs it.
 */
#include "backends/leg.h"
#include "backends/scoring/scorer.h"
#include "base/chunk.h"
#include "base/list.h"
#include "capture/ledger.h"
#include "proxy/config_snapshot.h"

struct shared;

struct score_source { /* all of it is borrowed */
	struct config_snapshot *snapshot;
	struct backend_state *backend;           /* who scores */
	const struct backend_settings *settings; /* of the snapshot's */
	struct id exchange;
	const struct leg *leg; /* whose answer it is: about to end */
	const char *model;     /* as the client asked for it */
	uint64_t body_bytes;   /* of the exchange's request */
	const struct chunks *request, *answer;
};

struct score_job {
	struct list link; /* in scoring's queue */
	struct config_snapshot *snapshot;
	struct backend_state *backend;
	const struct backend_settings *settings;
	struct budget *budget;
	struct id exchange, leg;
	struct reading_hints hints;
	char *coding; /* of the answer's body, or NULL */
	char *model;
	uint64_t body_bytes;
	struct chunks request, answer;
	size_t weight; /* in the backend's queue */
};

/* Takes room in the backend's queue; whoever takes the job out of it gives the room back. *ret
 * NULL: there is no room, and the cause is returned. */
enum ledger_drop score_job_create(
        const struct score_source *from, struct budget *budget, struct score_job **ret);
/* Scores and records it; o is gone. in_flight: requests to the reference now. */
void score_job_run(
        struct score_job *o, struct scorer *s, struct recorder *recorder, unsigned in_flight);
void score_job_drop(struct score_job *o, enum ledger_drop cause);
void score_job_exclude(struct score_job *o, const char *why);
