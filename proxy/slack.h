#pragma once
/*
 * slack - gives back to the kernel the memory that malloc() still holds after a rush.
 *
 * malloc() by itself gives back only free memory at the end of a heap. Memory that was freed below
 * a small block that is still in use stays with the process. So once a second we look at the
 * excess: the process's resident memory beyond what the budget counts. Free whole pages are given
 * back if traffic was calm for SLACK_LOOKS looks in a row, and the excess is more than SLACK_MUCH
 * above the least excess seen in calm traffic since the last time. While traffic is not calm
 * nothing is given back, since it would be needed again at once.
 *
 * Runs in the main thread's loop. While a heap is walked, threads that allocate from it wait: 0.1
 * to 0.2 ms for each MiB that is given back, so about 4 ms after a rush of 40 MiB, and 25 to 50 ms
 * after one of 256 MiB.
 */
#include <stddef.h>

#include <uv.h>

#include "base/budget.h"

#define SLACK_MUCH ((size_t)8 << 20)
#define SLACK_CALM 16 /* traffic is calm if it uses less than 1/SLACK_CALM of the budget */
#define SLACK_LOOKS 3

struct slack {
	uv_timer_t timer;
	const struct budget *budget;
	/* the least excess in calm traffic since memory was last given back, bytes */
	size_t least;
	unsigned calm; /* number of latest looks in a row that found calm traffic */
};

void slack_watch(struct slack *s, uv_loop_t *loop, const struct budget *budget);
void slack_close(struct slack *s); /* called last; the loop must run once more */
