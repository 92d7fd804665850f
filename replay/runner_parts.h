#pragma once
/*
 * runner_parts - shared by runner.c (when to send), offer.c (how much was due), history.c (the
 * history that a later turn is sent with) and shot.c (one request in flight). For these files only.
 */
#include "base/check.h" /* before libuv, which drags in a MIN and MAX of its own */

#include <uv.h>

#include "replay/feeder.h"
#include "replay/target_connections.h"
#include "replay/runner.h"

#define RUNNER_MAGIC 0x72756e72u

struct shot;

enum over {
	OVER_NOT,
	OVER_SENT,
	OVER_UNFIT,  /* it cannot be sent; later turns then wait for the turn before it */
	OVER_UNSENT, /* the next process, or the next step, still has to send it */
};

struct runner {
	uint32_t magic;
	const struct runner_settings *s;
	struct load_figures *figures;
	struct runner_result *result;
	struct kinds *kinds;
	struct target_connections *outlets; /* one for each target */
	struct shot *shots;
	uint64_t n_shots;   /* number of shots that have begun */
	unsigned n_resting; /* shots that were refused and wait for a retry */
	/* exchanges that the recorder already has; not used if the settings have a shared set */
	struct keyset written;

	uv_loop_t loop;
	uv_async_t wake;
	uv_poll_t pacer;
	int pacer_fd;
	uv_timer_t tick, again, deadline;
	uv_signal_t interrupted, terminated;

	struct feeder *feeder;
	struct job *window[1024]; /* jobs taken from the feeder, in order */
	size_t n_window;
	uint8_t *over; /* enum over, indexed by send */
	struct schedule schedule;
	struct schedule ahead; /* the same schedule again, to count the times that have come */
	uint64_t n_unfit;      /* sends that were due and could not be sent */
	uint64_t start;        /* clock_mono() ns; 0: not yet */
	/* for LOAD_ORIGINAL: when the first request was recorded, wall clock */
	uint64_t first_wall;
	/* clock_mono() ns; intended time of the latest job taken from the feeder */
	uint64_t intended;
	uint32_t latest;  /* the send of that job */
	uint64_t stopped; /* clock_mono() ns since which nothing new is sent; 0: not yet */
	unsigned places;  /* the most requests in flight */
	bool crammed;     /* the window was full of waiting jobs, so the next job may be late */
	bool stopping, broken, closed;
};

static inline const struct target *runner_target(const struct runner *r, const struct job *j)
{
	return r->s->targets[j->what.target];
}

/* In runner.c: counts an answer in the figures, and in those of its target. */
void runner_answered(struct runner *r, uint32_t send, const struct load_figures_answer *a);
/* In runner.c: counts a retry and its reason. why NULL: the request is sent again without the
 * added fields. */
void runner_retried(struct runner *r, uint32_t send, const char *why);
/* In runner.c: call when a send has ended. unsent: it was not delivered, or plumbline
 * interrupted it. */
void runner_over(struct runner *r, uint32_t send, bool unsent);

/* When a turn may be sent, by the end of the turn before it and the think time; clock_mono() ns.
 * 0: now; UINT64_MAX: the turn before has not ended. */
static inline uint64_t runner_turn_at(const struct runner *r, const struct job *j)
{
	uint32_t before = j->waits_for;
	return before == PLAN_NONE ? 0
	       : r->over[before]   ? think_time_until(r->s->think, before, j->wall_ns, j->delay)
	                           : UINT64_MAX;
}

/* The end of the duration, clock_mono() ns; UINT64_MAX: there is none yet. Requests that are due
 * later are not sent, even if the loop runs late. */
static inline uint64_t runner_end(const struct runner *r)
{
	return r->s->duration && r->start ? r->start + r->s->duration : UINT64_MAX;
}

/* offer.c */
/* Updates figures->offer. Does nothing while the run stops. */
void offer_update(struct runner *r);
/* Marks the sends in the plan that were due when the run stopped. */
void offer_mark(struct runner *r);

/* history.c */
/* True if another process or step still has to send the turn before, so this turn must follow it
 * there. */
bool history_keeps_back(const struct runner *r, const struct job *j);
/* Puts this run's answers into the history of a later turn. False: the turn cannot be sent; the
 * job's `unfit` says why. */
bool history_fill(struct runner *r, struct job *j);

/* shot.c */
/* Takes ownership of the job. On return it was sent, or it failed and runner_over() was called. */
void shot_start(struct runner *r, struct job *j, uint64_t due);
/* Sends again the requests whose pause has ended, while slots are free. Returns when the next pause
 * ends, clock_mono() ns; 0: nothing waits, or no slot is free. */
uint64_t shot_send_rested(struct runner *r);
/* Gives up all requests that wait for a retry. Their sends end as not delivered, so a later
 * process or step still has to send them. */
void shot_drop_resting(struct runner *r);
/* Interrupts all shots of the list. Their ends are reported later, not within this call. */
void shot_interrupt_all(struct shot *all);
