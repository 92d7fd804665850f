#pragma once
/*
 * connection_pool - one worker's connections to one backend. Counted: configs that reach it in the same way share
 * it, so that kept connections outlive a change of the configuration. Loop thread only.
 */
#include <stdbool.h>

#include "backends/transport/upstream.h"
#include "proxy/config_snapshot.h"

struct shared;
struct uv_loop_s;

struct connection_pool {
	unsigned refs;
	struct config_snapshot *snapshot;        /* held, for what follows */
	const struct backend_settings *settings; /* how it is reached */
	struct transport *transport;
};

/* b is of the snapshot's settings. */
struct connection_pool *connection_pool_create(struct uv_loop_s *loop, struct shared *s,
        struct config_snapshot *snapshot, const struct backend_settings *b);
struct connection_pool *connection_pool_ref(struct connection_pool *l);
void connection_pool_unref(
        struct connection_pool *l); /* the last: no request is under way; NULL is fine */
/* Whether a backend of the snapshot's settings is reached in this very way. */
bool connection_pool_reaches(const struct connection_pool *l,
        const struct config_snapshot *snapshot, const struct backend_settings *b);
