#pragma once
/*
 * runner - the loop of a replay: sends what the feeder has made ready when the load's shape says so, and
 * records each answer as a leg.
 *
 * Closed loop: as soon as an answer ends the next request goes, so that `concurrency` are in flight until
 * the plan runs out. Open loop: each request has an intended time, whatever the answers do; concurrency,
 * if any, is the most that may be in flight. A turn of a session waits for the turn before in every shape.
 * What is to be tried again rests meanwhile, and is not in flight: others take its place, but no more than
 * there are places rest at once.
 * SIGINT or SIGTERM: nothing new is sent, what is under way is waited for; a second one breaks it off.
 * One thread.
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
	RUNNER_TIME,    /* duration is over */
	RUNNER_STOPPED, /* by a signal */
	RUNNER_ERRORS,  /* more errors than allowed */
	RUNNER_GONE,    /* a target can't be reached any more */
	RUNNER_DISK,    /* the capture can't be written */
};

struct runner_settings {
	enum load load;
	unsigned concurrency; /* open loops: 0 is as many as the machine has descriptors for */
	double rate;          /* LOAD_RATE: a second */
	double ramp_to;       /* LOAD_RATE: that it goes to */
	uint64_t ramp_over;   /* ns; 0: it stays as it is */
	enum arrivals arrivals;
	double burstiness;
	double speed; /* LOAD_ORIGINAL */
	uint64_t seed;
	uint64_t duration;  /* ns, from the first send; 0: none */
	uint64_t warm_up;   /* sends that count in no figure */
	double error_limit; /* share of answers; 1: none */
	struct cancel cancel;
	/* Of all calls with this plan, never NULL: who thinks when one ends goes on in the next. */
	struct think *think;
	unsigned retries; /* tries after the first, of what was turned away: retry.h */
	bool fresh;       /* a connection for each request */
	const struct target *const *targets; /* plan_send.target says which */
	size_t n_targets;
	struct figures *shares; /* of each target by itself, empty or with earlier ones; or NULL */
	struct source *source;
	/* Sends that are not skipped are sent; those that were, are skipped then, and due is whose time had come. */
	struct plan *plan;
	struct sent *sent;
	struct sessions
	        *sessions; /* histories hold the answers of this run; NULL: what was recorded */
	bool only_open;    /* those alone in which an empty answer stands */
	struct recorder *recorder;
	struct budget *budget;
	struct ledger_book *book; /* of legs */
	/* Exchanges whose rows the recorder has been given, for runs that share it; NULL: this run's own. */
	struct keyset *written;
	/* Four times a second, when the duration is over, and once at the end. */
	void (*on_tick)(void *arg, const struct figures *f, uint64_t left, bool last);
	void *arg;
};

struct runner_result {
	enum runner_end end;
	uint64_t left;        /* sends that were not made */
	struct reasons unfit; /* sends that could not be, and why; reasons_finish() */
};

/* figures: with goals set, else empty. */
void runner_run(
        const struct runner_settings *s, struct figures *figures, struct runner_result *ret);
