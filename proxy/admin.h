#pragma once
/*
 * admin - the operator's HTTP listener: /healthz, /readyz, /metrics. One request per connection.
 *
 * Runs on the main thread's loop. Shows metrics, never traffic.
 */
#include <stdbool.h>

#include <uv.h>

#include "base/check.h"

struct admin;
struct shared;

/* Whether another process can listen on the same port. It decides when a draining process stops
 * listening. */
enum admin_port {
	ADMIN_ALONE,     /* no other process can */
	ADMIN_SHARED,    /* SO_REUSEPORT: stops listening once a successor listens */
	ADMIN_INHERITED, /* the socket outlives this process: stops listening at once */
};

/* Takes over fd, a bound socket. */
int admin_create(uv_loop_t *loop, struct shared *s, int fd, enum admin_port port,
        struct admin **ret) MUST_CHECK;
void admin_set_ready(struct admin *a); /* /readyz answers 200; NULL is fine */
/*
 * /readyz answers 503. Stops listening as soon as a successor listens on the port. NULL is fine.
 */
void admin_drain(struct admin *a);
void admin_close(struct admin *a); /* frees it when its last handle has closed; NULL is fine */
