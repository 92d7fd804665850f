#pragma once
/*
 * runner_parts - what runner.c (when to send), offer.c (how much was to be sent by now), history.c (what a later turn is sent with)
 * and shot.c (one request under way) share. For these alone.
 */
#include "base/check.h" /* before libuv, which drags in a MIN and MAX of its own */

#include <uv.h>

#include "replay/feeder.h"
#include "replay/outlet.h"
#include "replay/runner.h"

#define RUNNER_MAGIC 0x72756e72u

struct shot;

enum over {
	OVER_NOT,
	OVER_SENT,
	OVER_UNFIT,  /* it can't be sent: who comes after it waits for the one before */
	OVER_UNSENT, /* to be sent by the next process, or in the next step, all the same */
};

struct runner {
	uint32_t magic;
	const struct runner_settings *s;
	struct figures *figures;
	struct runner_result *result;
	struct kinds *kinds;
	struct outlet *outlets; /* one of each target */
	struct shot *shots;
	uint64_t n_shots;      /* begun */
	unsigned n_resting;    /* of the shots: turned away, to be tried again */
	struct keyset written; /* exchanges whose rows are in the capture by now, unless shared */

	uv_loop_t loop;
	uv_async_t wake;
	uv_poll_t pacer;
	int pacer_fd;
	uv_timer_t tick, again, deadline;
	uv_signal_t interrupted, terminated;

	struct feeder *feeder;
	struct job *window[1024]; /* taken from the feeder, in order */
	size_t n_window;
	uint8_t *over; /* by send: enum over */
	struct schedule schedule;
	struct schedule ahead; /* the same: its times are counted as they come */
	uint64_t n_unfit;      /* whose time had come, and that could not be sent */
	uint64_t start;        /* clock_mono() ns; 0: not yet */
	uint64_t first_wall;   /* of the first request, LOAD_ORIGINAL */
	uint64_t intended;     /* of the latest job taken */
	uint32_t latest;       /* its send */
	uint64_t stopped;      /* clock_mono() ns: nothing new is sent from then on; 0: not yet */
	unsigned places;       /* most that may be in flight */
	bool crammed; /* the window was full of what waits: what is taken next may come late */
	bool stopping, broken, closed;
};

static inline const struct target *runner_target(const struct runner *r, const struct job *j)
{
	return r->s->targets[j->what.target];
}

/* The runner's part: what an answer says goes into the figures, and into those of its target. */
void runner_answered(struct runner *r, uint32_t send, const struct figures_answer *a);
/* Likewise: it is sent again, for what it was turned away with; NULL: without the added fields. */
void runner_retried(struct runner *r, uint32_t send, const char *why);
/* The runner's part: a send is over. unsent: it never left, or was broken off by ourselves. */
void runner_over(struct runner *r, uint32_t send, bool unsent);

/* In a session: when a turn may go, for the one before it and for whoever thinks about its answer. 0: it waits for nobody;
 * UINT64_MAX: the one before it is not over. */
static inline uint64_t runner_turn_at(const struct runner *r, const struct job *j)
{
	uint32_t before = j->waits_for;
	return before == PLAN_NONE ? 0
	       : r->over[before]   ? think_until(r->s->think, before, j->wall_ns, j->delay)
	                           : UINT64_MAX;
}

/* When the duration is over: what is due from then on is not sent, however late somebody looks. */
static inline uint64_t runner_end(const struct runner *r)
{
	return r->s->duration && r->start ? r->start + r->s->duration : UINT64_MAX;
}

/* offer.c */
/* Into the figures. While it is not stopping: then they stay as they were. */
void offer_look(struct runner *r);
/* Into the plan: the sends whose time had come when it was stopped. */
void offer_mark(struct runner *r);

/* history.c */
/* The turn before is still to be sent, by another process or in another step: so is this one, after it. */
bool history_keeps_back(const struct runner *r, const struct job *j);
/* A later turn gets the answers of this run into its history. False: it can't be sent, and says why. */
bool history_take(struct runner *r, struct job *j);

/* shot.c */
/* Takes the job over. It has been sent, or has failed, on return; in the latter case runner_over() follows
 * from within. */
void shot_start(struct runner *r, struct job *j, uint64_t due);
/* Those whose pause is over are sent again while there are places. Returns when the next one's is over, clock_mono() ns;
 * 0: none rests, or no place is free. */
uint64_t shot_send_rested(struct runner *r);
void shot_forgo_resting(struct runner *r); /* they stay to be sent */
void shot_break_off(struct shot *all); /* each of the list; their ends follow, not from within */
