#pragma once
/*
 * cause_change - is there a point in time from which on more answers differed, or fewer? Pure.
 */
#include "analyzer/stats/timeline.h"

#define CAUSE_TIME_SHIFT 20 /* the unit of the timeline: 2^20 ns, about a millisecond */
#define CAUSE_TIME_BINS 1024

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
void cause_change_find(const struct timeline *t, double alike, struct cause_change *ret);
