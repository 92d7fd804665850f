#pragma once
/*
 * connection_pool - one worker's connections to one backend.
 *
 * Counted. Worker_configs that reach a backend in the same way share it, so that kept connections
 * survive a reload. Loop thread only.
 */
#include <stdbool.h>

#include "backends/transport/upstream.h"
#include "proxy/config_snapshot.h"

struct shared;
struct uv_loop_s;

struct connection_pool {
	unsigned refs;
	struct config_snapshot *snapshot;        /* a reference; owns the next */
	const struct backend_settings *settings; /* URL, CA, timeouts */
	struct transport *transport;
};

/* b belongs to the snapshot's settings. */
struct connection_pool *connection_pool_create(struct uv_loop_s *loop, struct shared *s,
        struct config_snapshot *snapshot, const struct backend_settings *b);
struct connection_pool *connection_pool_ref(struct connection_pool *l);
void connection_pool_unref(
        struct connection_pool *l); /* the last one: no request may run; NULL is fine */
/* b, of the snapshot's settings, is reached in the same way. */
bool connection_pool_reaches(const struct connection_pool *l,
        const struct config_snapshot *snapshot, const struct backend_settings *b);
