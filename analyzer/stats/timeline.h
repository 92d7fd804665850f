#pragma once
/*
 * timeline - how many answers differed, by when they were asked for.
 *
 * Bins of time are all of one width, which doubles when more of them than a limit hold anything: a
 * capture of a minute and one of a year both fit, and a clock that jumped costs one bin more. Whole
 * numbers alone: adding in any order gives the same. One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"

struct timeline_bin {
	uint64_t number; /* begins at number << shift */
	uint64_t n, differ;
	uint64_t changed;   /* so did the meaning */
	struct id differed; /* the least id of an exchange that differed; zero: none did */
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

/* limit: of the bins; the same number in every call. */
void timeline_add(struct timeline *t, size_t limit, const struct timeline_answer *answer);
void timeline_finish(struct timeline *t);
