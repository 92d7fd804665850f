#pragma once
/*
 * slack - memory that malloc() kept after a rush, given back to the kernel.
 *
 * malloc() gives back by itself what is free at the end of a heap; what was freed before something small that is still in use
 * stays. So it is looked once a second at how much the process has beyond what traffic holds by the books: if traffic is calm
 * and that is SLACK_MUCH above the least it has been, all whole pages that are free are given back. Where traffic is not calm
 * they would be wanted again at once. The main thread's loop; what it walks through keeps a worker that allocates waiting
 * for a millisecond or two.
 */
#include <stddef.h>

#include <uv.h>

#include "base/budget.h"

#define SLACK_MUCH ((size_t)8 << 20)
#define SLACK_CALM 16 /* of the budget: less than one part of so many is used */

struct slack {
	uv_timer_t timer;
	const struct budget *budget;
	size_t least; /* bytes beyond the books, since they were last given back */
};

void slack_watch(struct slack *s, uv_loop_t *loop, const struct budget *budget);
void slack_close(struct slack *s); /* called last; the loop must run once more */
