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

/* fd is a bound socket, taken over. */
int admin_create(uv_loop_t *loop, struct shared *s, int fd, struct admin **ret) MUST_CHECK;
void admin_set_ready(struct admin *a, bool ready); /* what /readyz says; NULL is fine */
void admin_close(struct admin *a); /* memory goes with its last handle; NULL is fine */
