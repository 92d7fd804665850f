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

/* Which other process can listen on the admin port. It decides when admin_drain() stops
 * listening. */
enum admin_port {
	ADMIN_ALONE,     /* no other process */
	ADMIN_SHARED,    /* a successor, by SO_REUSEPORT: stop when it listens, too */
	ADMIN_INHERITED, /* the service manager keeps the socket: stop at once */
};

/* Takes ownership of fd, a bound socket. */
int admin_create(uv_loop_t *loop, struct shared *s, int fd, enum admin_port port,
        struct admin **ret) MUST_CHECK;
void admin_set_ready(struct admin *a); /* /readyz answers 200 from now on; NULL is fine */
/* /readyz answers 503 from now on. Stops listening at the time that enum admin_port says. NULL is
 * fine. */
void admin_drain(struct admin *a);
void admin_close(struct admin *a); /* frees it when its last handle has closed; NULL is fine */
