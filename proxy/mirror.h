#pragma once
/*
 * mirror - one worker's copies for one reference: which exchanges are copied, and the queue they
 * wait in.
 *
 * A copy starts when its request is complete, never waits for the primary and is never waited for.
 * Beyond max_concurrency (of all workers) copies queue, beyond queue_limit bytes (of all workers)
 * they are dropped. Every exchange is decided once for each reference, and ends in that reference's
 * book. Stages that copy to the same backend in the same way share one. Loop thread only.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/list.h"

struct copy;
struct exchange;
struct connection_pool;
struct config_snapshot;
struct backend_state;
struct worker;

struct mirror {
	uint32_t magic;
	unsigned refs;    /* configs */
	struct list link; /* in worker->mirrors */
	struct worker *worker;
	struct backend_state *backend;
	struct connection_pool *pool;
	struct list waiting; /* struct copy */
	struct list running;
	uv_timer_t start_timer; /* starts copies once the primary's request is out */
};

/* For the snapshot's reference of that number. */
struct mirror *mirror_create(struct worker *w, struct config_snapshot *snapshot, size_t number);
struct mirror *mirror_ref(struct mirror *m);
/* The last: no copies are left. Its timer closes; memory goes with it. */
void mirror_unref(struct mirror *m);

/* Could a request with this head be copied to anyone? So that its body is worth keeping. */
bool mirror_may_copy(const struct exchange *e);
/* Decides for all references; e->mirrored tells whether any copy was made. Once an exchange. */
void mirror_decide(struct exchange *e);
/* The client of an exchange has gone: copies for references that are told to, end. */
void mirror_client_gone(struct exchange *e);

void mirror_schedule(struct mirror *m);   /* starts what there is room for, soon */
void mirror_slot_freed(struct mirror *m); /* a running copy gave its place back */
void mirror_check_timeouts(struct mirror *m, uint64_t now); /* total timeouts */
void mirror_stop(struct mirror *m); /* drops what waits, cancels what runs */
bool mirror_is_idle(const struct mirror *m);
