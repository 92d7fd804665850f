#pragma once
/*
 * worker_config - one worker's part of a config_snapshot: its connections to the primary and its
 * mirrors.
 *
 * Reference-counted. The worker has a reference while new exchanges begin with this config; each
 * exchange that began with it has one too. Dropping the last reference does not free the config,
 * because this may happen in a callback of the config's own connections. worker_config_sweep()
 * frees it later. Loop thread only.
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
	struct mirror *mirrors[SETTINGS_REFERENCES_LIMIT]; /* in the order of the snapshot */
};

/* Shares those connections and mirrors of `before` (or NULL) that this snapshot needs too. */
struct worker_config *worker_config_create(
        struct worker *w, struct config_snapshot *snapshot, const struct worker_config *before);
struct worker_config *worker_config_ref(struct worker_config *s);
void worker_config_unref(struct worker_config *s);
void worker_config_sweep(struct worker *w);
