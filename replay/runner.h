#pragma once
/*
 * runner - the event loop of a replay. It sends the requests that the feeder prepared, at the times
 * that the load gives, and records each answer as a leg.
 *
 * Closed loop: when an answer ends, the next request is sent, so that `concurrency` requests are in
 * flight until the plan ends. Open loop: each request has an intended time that does not depend on
 * answers; `concurrency`, if set, limits how many requests are in flight. In both, a turn waits for
 * the turn before it. A request that waits for a retry is not in flight, and another one takes its
 * slot; but no more requests wait than there are slots.
 *
 * After SIGINT or SIGTERM nothing new is sent, and running requests finish; a second signal
 * interrupts them. One thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "capture/keyset.h"
#include "capture/ledger.h"
#include "capture/recorder.h"
#include "replay/cancel.h"
#include "replay/load_figures.h"
#include "replay/plan.h"
#include "replay/schedule.h"
#include "replay/resume.h"
#include "replay/sessions.h"
#include "replay/source.h"
#include "replay/target.h"
#include "replay/think_time.h"

enum load { LOAD_CLOSED, LOAD_RATE, LOAD_ORIGINAL };

enum runner_end {
	RUNNER_DONE,
	RUNNER_TIME,    /* the duration has ended */
	RUNNER_STOPPED, /* a signal stopped it */
	RUNNER_ERRORS,  /* there were more errors than allowed */
	RUNNER_GONE,    /* a target is unreachable */
	RUNNER_DISK,    /* the capture cannot be written */
};

struct runner_settings {
	enum load load;
	unsigned concurrency; /* open loops: 0 means as many as file descriptors allow */
	double rate;          /* LOAD_RATE: requests a second */
	double ramp_to;       /* LOAD_RATE: the rate at the end of the ramp */
	uint64_t ramp_over;   /* duration of the ramp, ns; 0: no ramp */
	enum arrivals arrivals;
	double burstiness;
	double speed; /* LOAD_ORIGINAL: 2 sends in half the recorded time */
	uint64_t seed;
	uint64_t duration;  /* ns from the first send; 0: no limit */
	uint64_t warm_up;   /* number of first sends that no figure counts */
	double error_limit; /* the largest share of failed answers, 0 to 1; 1: no limit */
	struct cancel cancel;
	/* Think times; never NULL. All calls for one plan share it, so that think times
	 * continue. */
	struct think_time *think;
	unsigned retries;                    /* the most retries of a refused request (retry.h) */
	bool fresh;                          /* a new connection for each request */
	const struct target *const *targets; /* indexed by plan_send.target */
	size_t n_targets;
	struct load_figures *shares; /* figures of each target, which this call adds to; or NULL */
	struct source *source;
	/* The runner sends all sends that are not `skipped`. It sets `skipped` for those that it
	 * sent, and `due` for those whose time came. */
	struct plan *plan;
	struct resume *sent;
	/* answers of this run for later turns; NULL: later turns have the recorded ones */
	struct sessions *sessions;
	bool only_open; /* use `sessions` only for histories that have empty answers */
	struct recorder *recorder;
	struct budget *budget;
	struct ledger_book *book; /* counts the legs */
	/* Exchanges that the recorder already has, shared by several calls; NULL: for this call
	 * only. */
	struct keyset *written;
	/* Called four times a second, when the duration ends, and once at the end. */
	void (*on_tick)(void *arg, const struct load_figures *f, uint64_t left, bool last);
	void *arg;
};

struct runner_result {
	enum runner_end end;
	uint64_t left; /* sends that were not made */
	/* sends that could not be made, by reason; the caller finishes it */
	struct error_tally unfit;
};

/* figures: to add to; must have its goals. */
void runner_run(
        const struct runner_settings *s, struct load_figures *figures, struct runner_result *ret);
