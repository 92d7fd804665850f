#pragma once
/*
 * slack - memory that malloc() kept after a rush, given back to the kernel.
 *
 * malloc() gives back by itself what is free at the end of a heap; what was freed before something
 * small that is still in use stays. So it is looked once a second at how much the process has
 * beyond what traffic holds by the books: if traffic has been calm for SLACK_LOOKS of them and
 * that is SLACK_MUCH above the least it was meanwhile or since the last time, whole pages that are
 * free are given back. Where traffic is not calm they would be wanted again at once.
 *
 * The main thread's loop. Whoever allocates from a heap waits while it is walked through, which
 * takes a tenth to a fifth of a millisecond for each MiB that is given back: some 4 ms after a
 * rush of 40 MiB, 25 to 50 after one of 256.
 */
#include <stddef.h>

#include <uv.h>

#include "base/budget.h"

#define SLACK_MUCH ((size_t)8 << 20)
#define SLACK_CALM 16 /* of the budget: less than one part of so many is used */
#define SLACK_LOOKS 3

struct slack {
	uv_timer_t timer;
	const struct budget *budget;
	size_t least;  /* bytes beyond the books in calm traffic, since they were last given back */
	unsigned calm; /* looks in a row at which traffic was */
};

void slack_watch(struct slack *s, uv_loop_t *loop, const struct budget *budget);
void slack_close(struct slack *s); /* called last; the loop must run once more */
