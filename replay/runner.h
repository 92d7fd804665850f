#pragma once
/*
 * runner - the event loop of a replay. It sends the requests that the feeder prepared, at the times
 * that the load gives, and records each answer as a leg.
 *
 *	LOAD_CLOSED    closed loop: sends a request when an answer ends, so that `concurrency`
 *	               requests are in flight until the plan ends
 *	LOAD_RATE      open loop: intended times come from a schedule (schedule.h)
 *	LOAD_ORIGINAL  open loop: intended times are the recorded ones, divided by `speed`
 *
 * Intended times do not depend on answers. But a request is sent later than intended while
 * `concurrency` requests are in flight, and a turn waits for the answer to the turn before it. A
 * request that waits for a retry is not in flight, and another one takes its slot. If as many
 * requests wait for a retry as there are slots, no new request is sent.
 *
 * After SIGINT or SIGTERM nothing new is sent, and running requests finish; a second signal
 * interrupts them. One thread, which runs the loop; the feeder has its own.
 */
#include <stdbool.h>
#include <stdint.h>

#include "capture/keyset.h"
#include "capture/recorder/ledger.h"
#include "capture/recorder/recorder.h"
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

/* replay_summary.c has the names, replay_summary_text.c the sentences. */
enum runner_end {
	RUNNER_DONE,
	RUNNER_TIME,    /* `duration` has passed */
	RUNNER_STOPPED, /* SIGINT or SIGTERM came */
	RUNNER_ERRORS,  /* the share of failed answers exceeded error_limit */
	RUNNER_GONE,    /* a target is unreachable */
	RUNNER_DISK,    /* the capture cannot be written */
};

struct runner_settings {
	enum load load;
	/* the most requests in flight; 0: runner_in_flight_limit() */
	unsigned concurrency;
	double rate;            /* LOAD_RATE: requests a second; the first rate of a ramp */
	double ramp_to;         /* LOAD_RATE: requests a second; the last rate of a ramp */
	uint64_t ramp_over;     /* ns; duration of the ramp; 0: no ramp */
	enum arrivals arrivals; /* LOAD_RATE: see schedule.h */
	double burstiness;      /* for ARRIVALS_GAMMA */
	double speed;           /* LOAD_ORIGINAL: 2 means twice as fast as recorded */
	uint64_t seed;
	/* ns from the start of the loop; then nothing new is sent; 0: no limit */
	uint64_t duration;
	uint64_t warm_up; /* number of first sends that are the warm-up (load_figures.h) */
	/* the largest share of failed answers, 0 to 1, checked from 20 answers on; 1: no limit */
	double error_limit;
	struct cancel cancel;
	/* How long a session waits before its next turn (think_time.h); never NULL. All
	 * runner_run() calls for one plan share it, so that it knows the answers of earlier
	 * calls. */
	struct think_time *think;
	/* the most retries of a request that was refused (retry.h) or got no answer; at most
	 * RETRY_LIMIT */
	unsigned retries;
	bool fresh;                          /* a new connection for each request */
	const struct target *const *targets; /* indexed by plan_send.target */
	size_t n_targets;
	/* figures of each target, indexed like targets; this call adds to them; NULL: none */
	struct load_figures *shares;
	struct source *source;
	/* The runner sends all sends that are not `skipped`. At the end it sets `skipped` for
	 * those that need not be sent again, `unfit` for those that cannot be sent, and `due`
	 * for those whose time came. */
	struct plan *plan;
	struct resume *sent;
	/* stores answers for the history of later turns; NULL: histories stay as the source has
	 * them */
	struct sessions *sessions;
	bool only_open; /* `sessions` changes only histories that have an empty answer */
	struct recorder *recorder;
	struct budget *budget;    /* of `recorder` (struct recording) */
	struct ledger_book *book; /* counts the legs */
	/* Exchanges that the recorder already has; several calls may share it. NULL: this call
	 * uses a set of its own. */
	struct keyset *written;
	/* Called four times a second, when the duration ends, and with `last` once at the end.
	 * left: the number of sends that have not ended, or that a later call must repeat. */
	void (*on_tick)(void *arg, const struct load_figures *f, uint64_t left, bool last);
	void *arg;
};

struct runner_result {
	enum runner_end end;
	uint64_t left; /* number of sends that a later call still has to make */
	/* sends that cannot be made, by reason; the caller frees it with error_tally_finish() */
	struct error_tally unfit;
};

/* Runs until nothing is left to send or to wait for, or the load ends. Adds to *figures, whose
 * `goals` the caller has set. Overwrites *ret. */
void runner_run(
        const struct runner_settings *s, struct load_figures *figures, struct runner_result *ret);

/* Raises the process's limit of file descriptors to its maximum, and returns how many requests
 * may be in flight under it: 16 to 65,536. Any thread. Call it before other code reads the
 * limit. */
unsigned runner_in_flight_limit(void);
