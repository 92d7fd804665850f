#pragma once
/*
 * runner - the event loop of a replay. It sends what the feeder prepared when the load says so, and
 * records each answer as a leg.
 *
 * Closed loop: the end of an answer sends the next request, so that `concurrency` requests are in
 * flight until the plan ends. Open loop: each request has an intended time, whatever the answers
 * do; `concurrency`, if set, limits how many are in flight. In both a turn waits for the turn
 * before. A request that waits for a retry is not in flight; others take its slot, but no more
 * requests wait than there are slots.
 *
 * SIGINT or SIGTERM: nothing new is sent and running requests finish; a second signal interrupts
 * them. One thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "capture/keyset.h"
#include "capture/ledger.h"
#include "capture/recorder.h"
#include "replay/cancel.h"
#include "replay/figures.h"
#include "replay/plan.h"
#include "replay/schedule.h"
#include "replay/sent.h"
#include "replay/sessions.h"
#include "replay/source.h"
#include "replay/target.h"
#include "replay/think.h"

enum load { LOAD_CLOSED, LOAD_RATE, LOAD_ORIGINAL };

enum runner_end {
	RUNNER_DONE,
	RUNNER_TIME,    /* the duration has ended */
	RUNNER_STOPPED, /* by a signal */
	RUNNER_ERRORS,  /* there were more errors than allowed */
	RUNNER_GONE,    /* a target is unreachable */
	RUNNER_DISK,    /* the capture cannot be written */
};

struct runner_settings {
	enum load load;
	unsigned concurrency; /* open loops: 0 means as many as descriptors allow */
	double rate;          /* LOAD_RATE: requests a second */
	double ramp_to;       /* LOAD_RATE: the rate at the end of the ramp */
	uint64_t ramp_over;   /* duration of the ramp, ns; 0: no ramp */
	enum arrivals arrivals;
	double burstiness;
	double speed; /* LOAD_ORIGINAL */
	uint64_t seed;
	uint64_t duration;  /* ns, from the first send; 0: none */
	uint64_t warm_up;   /* sends that no figure counts */
	double error_limit; /* share of answers; 1: none */
	struct cancel cancel;
	/* Shared by all calls with this plan, never NULL: think times continue into the next
	 * call. */
	struct think *think;
	unsigned retries;                    /* retries of refused requests: retry.h */
	bool fresh;                          /* a new connection for each request */
	const struct target *const *targets; /* plan_send.target says which */
	size_t n_targets;
	struct figures *shares; /* figures of each target, empty or continued; or NULL */
	struct source *source;
	/* The sends that are not marked `skipped` are sent. On return, `skipped` is also set for
	 * those that were sent, and `due` for those whose time came. */
	struct plan *plan;
	struct sent *sent;
	struct sessions
	        /* answers of this run for later turns; NULL: the recorded ones are used */
	        *sessions;
	bool only_open; /* use them only in histories that have empty answers */
	struct recorder *recorder;
	struct budget *budget;
	struct ledger_book *book; /* of legs */
	/* Exchanges that the recorder already has, shared between runs; NULL: this run's own. */
	struct keyset *written;
	/* Called four times a second, when the duration ends, and once at the end. */
	void (*on_tick)(void *arg, const struct figures *f, uint64_t left, bool last);
	void *arg;
};

struct runner_result {
	enum runner_end end;
	uint64_t left; /* sends that were not made */
	struct error_tally
	        unfit; /* sends that could not be made, by reason; error_tally_finish() */
};

/* figures: empty except for the goals. */
void runner_run(
        const struct runner_settings *s, struct figures *figures, struct runner_result *ret);
