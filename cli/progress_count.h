#pragma once
/*
 * progress_count - a count of finished items, shown on standard error if that is a terminal and the
 * work has taken more than a second. One thread.
 */
#include "base/progress.h"

struct progress_count {   /* zero-initialise it, and set `what` */
	const char *what; /* what is counted, such as "exchanges listed" */
	uint64_t begun_ns;
	struct progress progress;
};
/* Redraws the count if that is due. Call it for each row, with the number of rows so far. It does
 * nothing unless n is a multiple of 256, so it is cheap. */
void progress_count(struct progress_count *p, uint64_t n);
/* The same for items that take long; skips no n. */
void progress_count_now(struct progress_count *p, uint64_t n);
void progress_count_end(struct progress_count *p); /* removes the count */
