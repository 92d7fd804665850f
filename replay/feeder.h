#pragma once
/*
 * feeder - a thread that prepares requests ahead of the event loop, in the plan's order. It reads
 * bodies from the disk and rewrites them for the target.
 *
 * The number and the bytes of prepared requests are bounded.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/injection/kinds.h"
#include "replay/plan.h"
#include "replay/sent.h"
#include "replay/source.h"
#include "replay/target.h"

struct job {
	struct job *next;
	uint32_t send; /* its number in the plan */
	struct plan_send what;
	struct id exchange;
	uint64_t wall_ns;
	/* why it cannot be sent; NULL: it can. If set, nothing below is. */
	const char *unfit;
	struct source_body source;
	/* the body, with answers of this run in its history; empty: the source's body is used */
	struct buf told;
	struct copy_body made; /* from job_make() */
	bool wants_logprobs;
	/* The following is for the runner. */
	/* time to wait between the previous answer and this request, as the source asks, ns; 0:
	 * none */
	uint64_t delay;
	/* the send of the latest earlier turn that can be sent, or PLAN_NONE */
	uint32_t waits_for;
	uint64_t intended; /* clock_mono() ns */
	bool blocked;      /* it waited for an earlier turn or a free slot */
};

struct feeder_settings {
	struct source *source; /* used only by the feeder while it runs */
	const struct plan *plan;
	const struct target *const *targets; /* indexed by plan_send.target */
	const struct sent *sent;
	struct kinds *kinds;
	bool answered; /* histories get the answers of this run */
	/* something is ready, or everything is; called from the feeder's thread */
	void (*wake)(void *arg);
	void *arg;
};

struct feeder;

struct feeder *feeder_start(const struct feeder_settings *s);
/* The next prepared request, owned by the caller; NULL: none is ready. */
struct job *feeder_take(struct feeder *f);
bool feeder_is_done(struct feeder *f); /* all requests of the plan were taken */
void feeder_stop(struct feeder *f);    /* ends the thread; NULL is fine */

/* Makes the body for the target, from `told` if it is set, with or without the fields that we
 * add for this target. Frees an earlier result. Returns NULL, or why the request cannot be sent
 * to this target. */
const char *job_make(struct job *j, const struct target *t, bool with_fields) MUST_CHECK;
struct span job_body(const struct job *j); /* as sent */
struct kind_key job_kind(const struct job *j, const struct target *t);
void job_destroy(struct job *j);
