#pragma once
/*
 * connection_pool - one worker's connections to one backend.
 *
 * Reference-counted. All worker_configs that reach a backend in the same way share one pool, so
 * that kept connections survive a reload. Loop thread only.
 */
#include <stdbool.h>

#include "backends/transport/upstream.h"
#include "proxy/config_snapshot.h"

struct shared;
struct uv_loop_s;

struct connection_pool {
	unsigned refs;
	struct config_snapshot *snapshot;        /* a counted reference; owns `settings` */
	const struct backend_settings *settings; /* URL, CA, timeouts */
	struct transport *transport;
};

/* b: the backend in the snapshot's settings. */
struct connection_pool *connection_pool_create(struct uv_loop_s *loop, struct shared *s,
        struct config_snapshot *snapshot, const struct backend_settings *b);
struct connection_pool *connection_pool_ref(struct connection_pool *p);
/* When the last reference is dropped, no request may run. NULL is fine. */
void connection_pool_unref(struct connection_pool *p);
/* True if the backend b of the snapshot's settings is reached in the same way (URL, CA,
 * timeouts) as this pool's backend. */
bool connection_pool_reaches(const struct connection_pool *p,
        const struct config_snapshot *snapshot, const struct backend_settings *b);
