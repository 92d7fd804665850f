#pragma once
/*
 * think - think times: how long a session waits after an answer before its next turn. Either a
 * fixed time, or the time that passed in the recording. Sends are numbered as in the plan. One
 * thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"

struct think_wish {     /* zero-initialised: no think time */
	uint64_t fixed; /* ns */
	bool recorded;  /* use the recorded times */
	bool said;      /* set by --think, which overrides what the source states */
};

/* Reads "5s" or "recorded". False: the text is neither. */
bool think_parse(const char *text, struct think_wish *ret) MUST_CHECK;

struct think {
	struct think_wish wish;
	/* by send, ns: when its answer ended in this run, and in the recording */
	uint64_t *over, *answered;
};

/* told: the source states the think time of some turns. */
void think_init(struct think *t, const struct think_wish *wish, bool told, size_t n_sends);
void think_finish(struct think *t);
/* The recorded answer to this send ended at this wall clock time; 0: unknown. */
void think_recorded(struct think *t, uint32_t send, uint64_t answered);
/* The answer to this send ended at `now`, on the clock of think_until(). Do not call it for sends
 * of other processes: their think time has passed. */
void think_over(struct think *t, uint32_t send, uint64_t now);
/* True if the think time between the answer to `after` and the next turn is known. came: recorded
 * arrival of that turn, wall clock, 0 if unknown. told: the time that the source states, ns, 0 if
 * none. Also true if `after` did not run in this process. */
bool think_is_known(const struct think *t, uint32_t after, uint64_t came, uint64_t told);
/* When the turn after `after` may be sent; came and told as in think_is_known(); 0: at once. */
uint64_t think_until(const struct think *t, uint32_t after, uint64_t came, uint64_t told);
