#pragma once
/*
 * timeline - how many answers differed, by when they were asked for.
 *
 * The stretches of time are all of one width, a power of two seconds, which doubles when there are
 * more than TIMELINE_STRETCHES of them that hold anything: a capture of a minute and one of a year
 * both fit, and a clock that jumped costs one stretch more. Whole numbers only, so that the order
 * of adding and merging is of no account. Nothing to be freed.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIMELINE_STRETCHES 96

struct timeline_stretch {
	uint64_t number; /* begins at number << log2_width, seconds since 1970 */
	uint64_t n, differ, changed;
};

struct timeline { /* zero-initialised is empty */
	unsigned log2_width;
	size_t n;
	struct timeline_stretch stretches[TIMELINE_STRETCHES]; /* by time; those that hold any */
};

/* changed: the meaning of the answer did. */
void timeline_add(struct timeline *t, uint64_t wall_ns, bool differ, bool changed);
void timeline_merge(struct timeline *t, const struct timeline *other);
static inline uint64_t timeline_width(const struct timeline *t) /* seconds */
{
	return UINT64_C(1) << t->log2_width;
}
