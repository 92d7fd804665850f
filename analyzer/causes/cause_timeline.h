#pragma once
/*
 * cause_timeline - how many answers differed when, in bins of time that widen as the capture does.
 * Whole numbers: the order of adding is of no account. And whether there is a point in time from
 * which on more of them, or fewer, did.
 */
#include "base/id.h"

#define CAUSE_TIMELINE_BINS 1024

struct cause_bin {
	uint64_t key; /* time >> shift */
	uint64_t n, hits;
	struct id hit; /* the least id of an exchange that differed; zero: none did */
};

struct cause_timeline {         /* zero-initialised is empty */
	struct cause_bin *bins; /* sorted; none is empty */
	size_t n;
	unsigned shift; /* bins are 2^shift ns wide */
};

void cause_timeline_add(struct cause_timeline *t, uint64_t wall_ns, bool hit, struct id exchange);
void cause_timeline_merge(struct cause_timeline *t, const struct cause_timeline *other);
void cause_timeline_finish(struct cause_timeline *t);

struct cause_change {
	double p;         /* over all points that were tried; NaN: too few answers */
	uint64_t wall_ns; /* from here on */
	uint64_t before_n, before_hits, after_n, after_hits;
};

/*
 * The point at which both sides of it differ most, and how likely as large a difference would be
 * anywhere if it did not matter when: the exact binomial tail of each of at most 64 points, times their
 * number. alike: as many answers as are worth one, from 1, for those of one prompt go together; that
 * neighbouring stretches differ more than it tells counts likewise.
 */
void cause_timeline_change(const struct cause_timeline *t, double alike, struct cause_change *ret);
