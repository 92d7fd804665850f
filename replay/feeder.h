#pragma once
/*
 * feeder - a thread that makes requests ready ahead of the loop that sends them, in the plan's order: bodies
 * come from the disk and are rewritten for the target while the loop only sends and listens.
 *
 * What is ready is bounded in number and bytes.
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
	const char *unfit; /* it can't be sent, and why; nothing below is set then */
	struct source_body source;
	struct buf told; /* the body with the answers of this run in its history; or empty */
	struct copy_body made;
	bool wants_logprobs;
	/* For the runner. */
	uint64_t delay; /* ns, that the source wants between the answer before and this; 0: none */
	/* A send: of the turns before the last that can be sent; or PLAN_NONE. */
	uint32_t waits_for;
	uint64_t intended; /* clock_mono() ns */
	bool blocked;      /* it had to wait for a turn or a place */
};

struct feeder_settings {
	struct source *source; /* the feeder's while it runs */
	const struct plan *plan;
	const struct target *const *targets; /* by plan_send.target */
	const struct sent *sent;
	struct kinds *kinds;
	bool answered;           /* histories will hold the answers of this run */
	void (*wake)(void *arg); /* something is ready, or all is; from the feeder's thread */
	void *arg;
};

struct feeder;

struct feeder *feeder_start(const struct feeder_settings *s);
/* The next one, or NULL: none is ready. The caller's. */
struct job *feeder_take(struct feeder *f);
bool feeder_is_done(struct feeder *f); /* all were taken */
void feeder_stop(struct feeder *f);    /* ends the thread; NULL is fine */

/* Makes the body as the target gets it, with or without the fields that the target wants added, out of what it was told if that is
 * there; what was made before goes. NULL, or why it can't be put to the target. */
const char *job_make(struct job *j, const struct target *t, bool with_fields) MUST_CHECK;
struct span job_body(const struct job *j); /* as sent */
struct kind_key job_kind(const struct job *j, const struct target *t);
void job_destroy(struct job *j);
