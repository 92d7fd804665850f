#pragma once
/*
 * runner_parts - the state of the runner, and what its files call in each other. For these only:
 *
 *	runner.c        when to send
 *	sent_request.c  one request in progress
 *	runner_sends.c  the state of each send, and the history with which a later turn is sent
 *	offered_load.c  how many requests of an open loop were due
 *
 * Each of these calls only those below it.
 */
#include "base/check.h" /* before libuv, which defines MIN and MAX, too */

#include <uv.h>

#include "base/list.h"
#include "replay/feeder.h"
#include "replay/target_connections.h"
#include "replay/runner.h"

#define RUNNER_MAGIC 0x72756e72u

enum send_state {
	SEND_PENDING,
	SEND_DONE,
	SEND_UNFIT, /* it cannot be sent; see plan_send.unfit */
	/* it was not delivered, or plumbline interrupted it; a later call of runner_run() must send
	 * it */
	SEND_UNSENT,
};

struct runner {
	uint32_t magic;
	const struct runner_settings *s;
	struct load_figures *figures;
	struct runner_result *result;
	struct kinds *kinds;
	struct target_connections *connections; /* indexed by target */
	/* struct sent_request: in flight, or waiting to be sent again */
	struct list in_progress;
	uint64_t n_begun;          /* number of requests begun so far */
	unsigned n_awaiting_retry; /* number of requests that wait for a retry */
	/* exchanges that the recorder already has; unused if s->written is set */
	struct keyset written;

	uv_loop_t loop;
	uv_async_t wake; /* a send has ended, or the feeder has a job */
	uv_poll_t pacer; /* on pacer_fd, a timerfd: the next intended time, clock_mono() */
	int pacer_fd;
	/* tick: for on_tick(). dispatch_timer: the next time, other than pacer's, to look for a
	 * request to send. deadline: runner_end(). */
	uv_timer_t tick, dispatch_timer, deadline;
	uv_signal_t interrupted, terminated; /* SIGINT, SIGTERM */

	struct feeder *feeder;
	/* jobs taken from the feeder, in the plan's order, that are not sent yet */
	struct job *window[1024];
	size_t n_window;
	/* enum send_state, indexed by send; from sends_init() to sends_finish() */
	uint8_t *send_state;
	struct schedule schedule;
	/* a copy of `schedule` that counts the scheduled times that have come */
	struct schedule ahead;
	/* number of sends that were due, but whose history could not be made */
	uint64_t n_unfit;
	uint64_t start; /* clock_mono() ns; start of the loop's time; 0: not yet */
	/* LOAD_ORIGINAL: wall clock ns; when the first request was recorded */
	uint64_t first_wall;
	/* clock_mono() ns; intended time of the latest job taken from the feeder */
	uint64_t intended;
	uint32_t latest;          /* index of that job's send */
	uint64_t stopped;         /* clock_mono() ns; when sending stopped; 0: not yet */
	unsigned in_flight_limit; /* the most requests in flight */
	/* the window was full of waiting jobs, so the next job may come into it late */
	bool window_was_full;
	bool stopping; /* nothing new is sent */
	bool closed;   /* the loop's handles are closed, so the loop ends */
};

static inline const struct target *runner_target(const struct runner *r, const struct job *j)
{
	return r->s->targets[j->planned.target];
}

/* When a request may be sent, given the turn that it waits for and the think time; clock_mono()
 * ns. 0: now; UINT64_MAX: that turn has not ended. */
static inline uint64_t runner_turn_at(const struct runner *r, const struct job *j)
{
	uint32_t before = j->waits_for;
	return before == PLAN_NONE     ? 0
	       : r->send_state[before] ? think_time_until(r->s->think, before, j->wall_ns, j->delay)
	                               : UINT64_MAX;
}

/* The end of `duration`, clock_mono() ns; UINT64_MAX: the loop has not started, or has no limit.
 * A request that is due later is not sent, even if the loop is late. */
static inline uint64_t runner_end(const struct runner *r)
{
	return r->s->duration && r->start ? r->start + r->s->duration : UINT64_MAX;
}

/* offered_load.c */
/* Updates figures->offer. LOAD_RATE only; does nothing after sending has stopped. */
void offered_load_update(struct runner *r);
/* Open loops: sets `due` in the plan for the sends whose time had come when sending stopped. */
void offered_load_mark(struct runner *r);

/* runner_sends.c */
/* True if the history of this turn needs the answer to the turn before, and that turn ended as
 * SEND_UNSENT. A later call of runner_run() must then send both. */
bool history_must_wait(const struct runner *r, const struct job *j);
/* Puts this run's answers into the history of a later turn, if the settings want them there. False:
 * that is impossible, so the turn cannot be sent; the job's `unfit` says why. */
bool history_fill(struct runner *r, struct job *j);

/* Takes from the plan which sends were made before. */
void sends_init(struct runner *r);
/* Writes into the plan and the result which sends are left. The feeder must have stopped. */
void sends_finish(struct runner *r);
uint64_t sends_left(const struct runner *r); /* as `left` of runner_settings.on_tick */
/* Stops sending; the first reason counts. */
void sends_stop(struct runner *r, enum runner_end why);
/* Sets the state of a send that has ended. */
void sends_set_state(struct runner *r, uint32_t send, enum send_state state);
/* Counts an answer in the figures, and in those of its target. */
void sends_answered(struct runner *r, uint32_t send, const struct load_figures_answer *a);
/* Counts that a request is sent again. why: the reason for a retry after a pause; NULL: it is sent
 * again at once without the added fields. */
void sends_retried(struct runner *r, uint32_t send, const char *why);
/* Call when a send has ended, after sends_answered(). unsent: it was not delivered, or plumbline
 * interrupted it. The runner looks for the next request to send soon after this call. */
void sends_ended(struct runner *r, uint32_t send, bool unsent);

/* sent_request.c */
/* Sends the request and takes ownership of the job. due: the intended time, clock_mono() ns. If
 * sending fails at once, sends_ended() has been called on return. */
void sent_request_start(struct runner *r, struct job *j, uint64_t due);
/* Sends again the requests whose pause has ended, while slots are free. Returns when the next
 * pause ends, clock_mono() ns; 0: no request waits for a retry, or no slot is free. */
uint64_t sent_request_send_retries(struct runner *r);
/* Gives up all requests that wait for a retry. Their sends end as `unsent`. */
void sent_request_drop_retries(struct runner *r);
/* Interrupts all requests in progress, except those that wait for a retry. sends_ended() reports
 * their ends after this call has returned. */
void sent_request_interrupt_all(struct runner *r);
