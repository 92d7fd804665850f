#pragma once
/*
 * feeder - a thread that prepares requests ahead of the event loop, in the order of the plan. It
 * reads bodies from the disk and rewrites them for the target. At most 1,024 prepared requests, and
 * about 64 MiB of their bodies, wait for feeder_take().
 *
 * The loop's thread calls all functions. Before feeder_take() returns a job, the feeder's thread
 * also calls the functions of jobs.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/injection/kinds.h"
#include "replay/plan.h"
#include "replay/resume.h"
#include "replay/source.h"
#include "replay/target.h"

struct job {
	struct job *next;
	uint32_t send;            /* index of its send in plan.sends */
	struct plan_send planned; /* a copy of this send */
	struct id exchange;
	uint64_t wall_ns; /* from plan_request.wall_ns */
	/* Why the request cannot be sent; the members from `source` to wants_logprobs may then be
	 * unset. NULL: it can be sent. */
	const char *unfit;
	struct source_body source;
	/* the source's body with this run's answers in its history; empty: the source's body is
	 * sent as it is */
	struct buf with_history;
	struct copy_body made; /* from job_make() */
	bool wants_logprobs;   /* the body in `made` requests logprobs */
	/* Members for the runner: */
	uint64_t delay; /* from plan_request.delay */
	/* index of the send whose answer it waits for: the latest earlier turn of its session
	 * that can be sent; PLAN_NONE: it waits for none */
	uint32_t waits_for;
	uint64_t intended; /* clock_mono() ns; intended time of sending */
	bool blocked;      /* it was due, but waited for an earlier turn or a free slot */
};

struct feeder_settings {
	struct source *source; /* while the feeder runs, only the feeder uses it */
	const struct plan *plan;
	const struct target *const *targets; /* indexed by plan_send.target */
	const struct resume *sent;           /* what earlier processes of this run recorded */
	struct kinds *kinds;                 /* whether logprobs are added: see job_kind() */
	/* this run's answers can be put into histories; false: a request whose history has an
	 * empty answer cannot be sent */
	bool answered;
	/* Called on the feeder's thread: after each prepared request, and after the last one
	 * once more. */
	void (*wake)(void *arg);
	void *arg;
};

struct feeder;

/* Starts the thread. *s is copied; what its members point to must outlive the feeder. */
struct feeder *feeder_start(const struct feeder_settings *s);
/* Returns the next prepared request, which the caller owns; NULL: none is ready. */
struct job *feeder_take(struct feeder *f);
bool feeder_is_done(struct feeder *f); /* true if feeder_take() has returned all requests */
/* ends the thread and frees the feeder with all prepared requests; NULL is fine */
void feeder_stop(struct feeder *f);

/* Makes the body for the target, from `with_history` unless it is empty. with_fields: requests the
 * logprobs and token counts that the target wants. Frees the result of an earlier call. Returns
 * NULL, or why the request cannot be sent to this target. */
const char *job_make(struct job *j, const struct target *t, bool with_fields) MUST_CHECK;
struct span job_body(const struct job *j); /* the body that job_make() made */
/* The request's key in struct kinds; points into j and t. Needs `source`, not job_make(). */
struct kind_key job_kind(const struct job *j, const struct target *t);
void job_destroy(struct job *j);
