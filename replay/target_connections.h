#pragma once
/*
 * target_connections - the connections to one target of a replay, the data that all legs to it have
 * in common, and whether the target still answers.
 *
 * Loop thread only. The runner's settings must outlive it.
 */
#include "base/check.h" /* before libuv, which defines MIN and MAX, too */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <uv.h>

#include "backends/leg.h"
#include "replay/runner.h"

struct target_connections {
	struct transport *transport;
	struct leg_frame frame; /* has pointers into this struct, which must therefore not move */
	/* Number of legs in progress. Only the loop's thread uses it. It is atomic because
	 * leg_frame.in_flight points to it, and in the proxy several threads share that counter. */
	atomic_uint in_flight;
	unsigned unsent_in_a_row; /* how many of the latest sends, in a row, were `unsent` */
};

/* Prepares connections to s->targets[i]. o must be zero-initialised. */
void target_connections_open(
        struct target_connections *o, const struct runner_settings *s, size_t i, uv_loop_t *loop);
/* Call when a send has ended. unsent: it was not delivered, or plumbline interrupted it. */
void target_connections_send_ended(struct target_connections *o, bool unsent);
/* True if the target counts as unreachable: the latest 16 sends were all unsent. */
bool target_connections_is_gone(const struct target_connections *o);
/* Every leg must have ended. Handles are closed later by the loop, which must still run; *o is no
 * longer used. */
void target_connections_close(struct target_connections *o);
