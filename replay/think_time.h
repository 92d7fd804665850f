#pragma once
/*
 * think_time - how long a session waits after an answer before its next turn: a fixed time, the
 * time that passed in the recording, or the time that the source states. `send` and `after` are
 * indices in plan.sends. One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"

struct think_time_setting { /* zero-initialised: the think times that the source states */
	uint64_t fixed;     /* ns */
	bool recorded;      /* use the times that passed in the recording */
	bool is_set; /* given with --think; false: only the times that the source states count */
};

/* Reads "5s" or "recorded". False: the text is neither; *ret then has no meaning. */
bool think_time_parse(const char *text, struct think_time_setting *ret) MUST_CHECK;

struct think_time {
	struct think_time_setting setting;
	/* ns, indexed by send: when its answer ended in this run (clock_mono()), and in the
	 * recording (wall clock); 0: unknown. NULL: there are no think times */
	uint64_t *ended, *answered;
};

/* stated: the source states think times for some turns. Call think_time_finish() at the end. */
void think_time_init(struct think_time *t, const struct think_time_setting *setting, bool stated,
        size_t n_sends);
void think_time_finish(struct think_time *t);
/* Sets when the recorded answer to this send ended: wall clock ns; 0: unknown. */
void think_time_recorded(struct think_time *t, uint32_t send, uint64_t answered);
/* Sets when the answer to this send ended in this run: clock_mono() ns. Do not call it for sends
 * of earlier processes, because their think time has passed. */
void think_time_send_ended(struct think_time *t, uint32_t send, uint64_t now);
/* False if the next turn must wait as long after the answer to `after` as in the recording, but
 * this time is unknown.
 *
 *	arrived  wall clock ns; when that turn came in the recording; 0: unknown
 *	stated   ns; the think time that the source states; 0: none */
bool think_time_is_known(
        const struct think_time *t, uint32_t after, uint64_t arrived, uint64_t stated);
/* When the turn after `after` may be sent: clock_mono() ns; 0: at once. */
uint64_t think_time_until(
        const struct think_time *t, uint32_t after, uint64_t arrived, uint64_t stated);
