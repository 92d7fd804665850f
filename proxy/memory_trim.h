#pragma once
/*
 * memory_trim - gives memory back to the kernel that malloc() still has after much traffic.
 *
 * malloc() by itself gives back only free memory at the end of a heap. Freed memory below a small
 * block in use stays with the process.
 *
 * Once a second, memory_trim computes the excess: the process's own resident memory beyond what the
 * budget counts. It gives back all free whole pages if both of these are true:
 *
 *	- traffic was calm MEMORY_TRIM_CALM_CHECKS times in a row
 *	- the excess is more than MEMORY_TRIM_EXCESS above the least excess in calm traffic since
 *	  memory_trim last gave memory back
 *
 * While traffic is not calm it gives nothing back, because the process would soon need that memory
 * again.
 *
 * Runs in the main thread's loop. While it walks a heap, threads that allocate from this heap wait:
 * 0.1 to 0.2 ms for each MiB that it gives back.
 */
#include <stddef.h>

#include <uv.h>

#include "base/budget.h"

#define MEMORY_TRIM_EXCESS ((size_t)8 << 20)
/* traffic is calm if the budget uses less than 1/MEMORY_TRIM_CALM of its limit */
#define MEMORY_TRIM_CALM 16
#define MEMORY_TRIM_CALM_CHECKS 3

struct memory_trim {
	uv_timer_t timer;
	const struct budget *budget;
	/* bytes; the least excess in calm traffic since memory was last given back */
	size_t least;
	unsigned calm; /* how many times in a row, up to now, traffic was calm */
};

void memory_trim_watch(struct memory_trim *s, uv_loop_t *loop, const struct budget *budget);
void memory_trim_close(struct memory_trim *s); /* call last; the loop must run once more */
