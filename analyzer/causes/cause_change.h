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
 * anywhere if the time did not matter: the exact binomial tail of each of at most 64 points, times
 * their number. design_effect: how much more the answers vary than independent ones, at least 1;
 * where neighbouring stretches vary still more, that counts.
 */
void cause_change_find(const struct timeline *t, double design_effect, struct cause_change *ret);
