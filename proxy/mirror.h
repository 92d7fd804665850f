#pragma once
/*
 * mirror - one worker's copies for one reference: decides which exchanges are copied, and queues
 * the copies.
 *
 * A copy is queued when its request is complete, and starts when the reference has a free slot.
 * Nothing waits for a copy. `max_concurrency` limits the running copies of all workers, and
 * queue_limit the bytes of their waiting ones; a copy that exceeds queue_limit is dropped. Each
 * exchange is decided once per reference and is counted in that reference's ledger_book.
 *
 * Reference-counted: worker_configs that copy to the same backend in the same way share a mirror.
 * Loop thread only.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/list.h"

struct exchange;
struct connection_pool;
struct config_snapshot;
struct backend_state;
struct worker;

/* What the references get of one exchange. */
enum copies_state {
	COPIES_UNDECIDED,
	COPIES_NONE,   /* no reference gets anything */
	COPIES_WANTED, /* at least one gets a copy, or scores the answer */
};

struct mirror {
	uint32_t magic;
	unsigned refs;    /* number of worker_configs that have it */
	struct list link; /* in worker->mirrors */
	struct worker *worker;
	struct backend_state *backend;
	struct connection_pool *pool;
	struct list waiting; /* struct copy */
	struct list running;
	uv_timer_t start_timer; /* starts copies after the primary's request was sent */
};

/* number: index into snapshot->references. */
struct mirror *mirror_create(struct worker *w, struct config_snapshot *snapshot, size_t number);
struct mirror *mirror_ref(struct mirror *m);
/* When `refs` falls to 0, no copy may wait or run. The mirror is freed when its timer has
 * closed. */
void mirror_unref(struct mirror *m);

/* True if the request may be copied, judged by its head alone. Its body is then kept. */
bool mirror_may_copy(const struct exchange *e);
/* Decides for all references, and sets e->copies. Call once per exchange: when the request is
 * complete, or when the exchange ends before. */
void mirror_decide(struct exchange *e);
/* Call when the client has gone. Ends the copies for references with `on_client_gone: cancel`. */
void mirror_client_gone(struct exchange *e);

/* starts waiting copies for which slots are free, in the next loop iteration */
void mirror_schedule(struct mirror *m);
void mirror_slot_freed(struct mirror *m); /* call when a running copy has ended: frees its slot */
/* cancels copies that run longer than total_timeout; now: clock_mono() ns */
void mirror_check_timeouts(struct mirror *m, uint64_t now);
void mirror_stop(struct mirror *m);          /* drops waiting copies, cancels running ones */
bool mirror_is_idle(const struct mirror *m); /* no copy waits or runs */
