#pragma once
/*
 * outlet - the way to one target while a replay runs: its connections, what the legs that go there have in common, and
 * whether anything is still there.
 *
 * Loop thread only. What settings point to outlives it.
 */
#include "base/check.h" /* before libuv, which drags in a MIN and MAX of its own */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <uv.h>

#include "backends/leg.h"
#include "replay/runner.h"

struct outlet {
	struct transport *transport;
	struct leg_frame frame; /* points into the outlet, which stays where it is */
	atomic_uint in_flight;
	unsigned unsent_in_a_row;
};

/* To s->targets[i]; o is zero-initialised. */
void outlet_open(struct outlet *o, const struct runner_settings *s, size_t i, uv_loop_t *loop);
/* A send to it is over. unsent: it never left, or was broken off by ourselves. */
void outlet_note(struct outlet *o, bool unsent);
/* So many were unsent in a row, with nothing answered between, that the target can't be reached any more. */
bool outlet_is_gone(const struct outlet *o);
/* Last, while the loop still runs. */
void outlet_close(struct outlet *o);
