#pragma once
/*
 * feeder - a thread that prepares requests ahead of the event loop, in the plan's order. It reads
 * bodies from the disk and rewrites them for the target. The number and the bytes of prepared
 * requests are limited.
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
	uint32_t send; /* index in plan.sends */
	struct plan_send what;
	struct id exchange;
	uint64_t wall_ns;
	/* why the request cannot be sent; the members below are then not set; NULL: it can */
	const char *unfit;
	struct source_body source;
	/* the body, with answers of this run in its history; empty: the source's body is used */
	struct buf told;
	struct copy_body made; /* from job_make() */
	bool wants_logprobs;
	/* The runner uses the following. */
	/* ns to wait between the previous answer and this request, as the source states; 0: none */
	uint64_t delay;
	/* the send of the latest earlier turn that can be sent, or PLAN_NONE */
	uint32_t waits_for;
	uint64_t intended; /* clock_mono() ns; when it is to be sent */
	bool blocked;      /* true if it waited for an earlier turn or a free slot */
};

struct feeder_settings {
	struct source *source; /* while the feeder runs, only the feeder uses it */
	const struct plan *plan;
	const struct target *const *targets; /* indexed by plan_send.target */
	const struct resume *sent;
	struct kinds *kinds;
	bool answered; /* put answers of this run into histories */
	/* Called when a request is ready, and when all are; on the feeder's thread. */
	void (*wake)(void *arg);
	void *arg;
};

struct feeder;

struct feeder *feeder_start(const struct feeder_settings *s);
/* The next prepared request, owned by the caller; NULL: none is ready. */
struct job *feeder_take(struct feeder *f);
bool feeder_is_done(struct feeder *f); /* true if all requests of the plan were taken */
void feeder_stop(struct feeder *f);    /* ends the thread; NULL is fine */

/* Makes the body for the target, from `told` if it is set, with or without the fields that
 * plumbline adds for this target. Frees an earlier result. Returns NULL, or why the request
 * cannot be sent to this target. */
const char *job_make(struct job *j, const struct target *t, bool with_fields) MUST_CHECK;
struct span job_body(const struct job *j); /* the body that job_make() made */
struct kind_key job_kind(const struct job *j, const struct target *t);
void job_destroy(struct job *j);
