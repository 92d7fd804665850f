#pragma once
/*
 * worker_config - one worker's side of a snapshot: its connections to the primary and its mirrors.
 *
 * Counted by the worker, while it is the one on which exchanges begin, and by each exchange that began
 * on it. One that nobody needs any more is taken down by worker_config_sweep(), not at once: whoever leaves it
 * may still be within a callback of its connections. Loop thread only.
 */
#include "base/list.h"
#include "proxy/connection_pool.h"
#include "proxy/config_snapshot.h"

struct mirror;
struct worker;

struct worker_config {
	unsigned refs;
	struct list link; /* in worker->configs */
	struct config_snapshot *snapshot;
	struct connection_pool *primary;
	struct mirror *mirrors[SETTINGS_REFERENCES_LIMIT]; /* by number, as in the snapshot */
};

/* Connections and mirrors of the one before (or NULL) that serve this snapshot as well are shared. */
struct worker_config *worker_config_create(
        struct worker *w, struct config_snapshot *snapshot, const struct worker_config *before);
struct worker_config *worker_config_ref(struct worker_config *s);
void worker_config_unref(struct worker_config *s);
void worker_config_sweep(struct worker *w);
