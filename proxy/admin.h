#pragma once
/*
 * admin - the operator's listener: /healthz, /readyz, /metrics. One request a connection.
 *
 * On the main thread's loop. It tells figures, never traffic; still it listens where it is told to
 * only.
 */
#include <stdbool.h>

#include <uv.h>

#include "base/check.h"

struct admin;
struct shared;

/* Who else may listen where it does, and so whether a draining process leaves the port to another. */
enum admin_port {
	ADMIN_ALONE,  /* nobody */
	ADMIN_SHARED, /* by SO_REUSEPORT: a successor, which then is asked alone */
	ADMIN_INHERITED, /* the very socket: it outlives this process, and its queue waits for the next */
};

/* fd is a bound socket, taken over. */
int admin_create(uv_loop_t *loop, struct shared *s, int fd, enum admin_port port,
        struct admin **ret) MUST_CHECK;
void admin_set_ready(struct admin *a); /* what /readyz says; NULL is fine */
/*
 * /readyz says no from now on, until somebody else listens there: then this process does not any more,
 * so that who asks is told by the one that stays. NULL is fine.
 */
void admin_drain(struct admin *a);
void admin_close(struct admin *a); /* memory goes with its last handle; NULL is fine */
