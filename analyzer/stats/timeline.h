#pragma once
/*
 * timeline - differing answers by the time of their requests.
 *
 * All bins have one width, which doubles when more bins than a limit have answers: a capture of a
 * minute and one of a year both fit, and a jump of the clock costs one more bin. Whole numbers
 * only: adding in any order gives the same. One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"

struct timeline_bin {
	uint64_t number;    /* begins at number << shift */
	uint64_t n, differ; /* answers; of these: answers that differ */
	uint64_t changed;   /* answers whose meaning changed */
	struct id differed; /* the smallest id of an exchange that differs; zero: none */
};

struct timeline {                  /* zero-initialised is empty */
	struct timeline_bin *bins; /* by time; none is empty */
	size_t n;
	unsigned shift; /* bins are 1 << shift of the caller's units wide */
};

struct timeline_answer {
	uint64_t time; /* since 1970, in the caller's unit */
	struct id exchange;
	bool differs, changed;
};

/* limit: the most bins; the same in every call. */
void timeline_add(struct timeline *t, size_t limit, const struct timeline_answer *answer);
void timeline_finish(struct timeline *t);
