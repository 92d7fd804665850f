#pragma once
/*
 * mirror - one worker's copies for one reference: decides which exchanges are copied, and queues
 * the copies.
 *
 * A copy starts when its request is complete. It waits for nothing but a slot, and nothing waits
 * for it. Over max_concurrency (of all workers) copies queue; over queue_limit bytes (of all
 * workers) they are dropped. Each exchange is decided once per reference and ends in that
 * reference's book.
 *
 * Counted: worker_configs that copy to the same backend in the same way share it. Loop thread only.
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

/* Of an exchange. */
enum copies_state {
	COPIES_UNDECIDED,
	COPIES_NONE,   /* no reference gets anything */
	COPIES_WANTED, /* at least one gets a copy, or scores the answer */
};

struct mirror {
	uint32_t magic;
	unsigned refs;    /* worker_configs */
	struct list link; /* in worker->mirrors */
	struct worker *worker;
	struct backend_state *backend;
	struct connection_pool *pool;
	struct list waiting; /* struct copy */
	struct list running;
	uv_timer_t start_timer; /* starts copies after the primary's request was sent */
};

/* For the reference with that number in the snapshot. */
struct mirror *mirror_create(struct worker *w, struct config_snapshot *snapshot, size_t number);
struct mirror *mirror_ref(struct mirror *m);
/* The last one: it must be idle. Freed when its timer has closed. */
void mirror_unref(struct mirror *m);

/* By its head the request may be copied, so that its body must be kept. */
bool mirror_may_copy(const struct exchange *e);
/* Decides for all references. Once per exchange. */
void mirror_decide(struct exchange *e);
/* The client has gone: ends the copies for references with `on_client_gone: cancel`. */
void mirror_client_gone(struct exchange *e);

void mirror_schedule(struct mirror *m);   /* soon starts copies, as far as slots are free */
void mirror_slot_freed(struct mirror *m); /* a running copy has ended */
void mirror_check_timeouts(struct mirror *m, uint64_t now); /* cancels copies after `timeout` */
void mirror_stop(struct mirror *m); /* drops what waits, cancels what runs */
bool mirror_is_idle(const struct mirror *m);
