#pragma once
/*
 * memory_trim - gives back to the kernel the memory that malloc() still holds after much traffic.
 *
 * malloc() by itself gives back only free memory at the end of a heap. Freed memory below a small
 * block in use stays with the process. So once a second, memory_trim computes the excess: the
 * process's resident memory beyond what the budget counts. It gives back free whole pages if
 * traffic was calm MEMORY_TRIM_LOOKS times in a row, and the excess is more than MEMORY_TRIM_MUCH
 * above the least excess in calm traffic since it last gave memory back. While traffic is not calm,
 * it gives nothing back, because the process would need the memory again at once.
 *
 * Runs in the main thread's loop. While it walks a heap, threads that allocate from this heap wait:
 * 0.1 to 0.2 ms for each MiB that it gives back, so about 4 ms for 40 MiB and 25 to 50 ms for 256
 * MiB.
 */
#include <stddef.h>

#include <uv.h>

#include "base/budget.h"

#define MEMORY_TRIM_MUCH ((size_t)8 << 20)
#define MEMORY_TRIM_CALM                                                                           \
	16 /* traffic is calm if it uses less than 1/MEMORY_TRIM_CALM of the budget */
#define MEMORY_TRIM_LOOKS 3

struct memory_trim {
	uv_timer_t timer;
	const struct budget *budget;
	/* bytes; the least excess in calm traffic since memory was last given back */
	size_t least;
	unsigned calm; /* how many times in a row, up to now, traffic was calm */
};

void memory_trim_watch(struct memory_trim *s, uv_loop_t *loop, const struct budget *budget);
void memory_trim_close(struct memory_trim *s); /* call last; the loop must run once more */
