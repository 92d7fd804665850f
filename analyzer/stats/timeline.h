#pragma once
/*
 * timeline - counts differing answers by the time of their requests.
 *
 * All bins have the same width, at first 1 unit of time. The width doubles when more bins than the
 * limit have answers. So a capture of a minute and one of a year both fit, and a jump of the clock
 * costs one more bin. Adding in any order gives the same result. One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"

struct timeline_bin {
	uint64_t number;    /* the bin begins at number << timeline.shift */
	uint64_t n, differ; /* answers; answers that differ */
	uint64_t changed;   /* answers whose meaning changed */
	struct id differed; /* the smallest id of an exchange that differs; zero: none */
};

struct timeline {                  /* zero-initialised: empty */
	struct timeline_bin *bins; /* ordered by time; bins without answers are left out */
	size_t n;
	unsigned shift; /* width of a bin: 1 << shift, in the caller's unit of time */
};

struct timeline_answer {
	uint64_t time; /* since 1970, in the caller's unit */
	struct id exchange;
	bool differs, changed;
};

/* limit: the most bins; must be the same in every call. */
void timeline_add(struct timeline *t, size_t limit, const struct timeline_answer *answer);
void timeline_finish(struct timeline *t);
