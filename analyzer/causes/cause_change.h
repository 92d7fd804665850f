#pragma once
/*
 * cause_change - finds a point in time from which on more or fewer answers differ. Pure.
 */
#include "analyzer/stats/timeline.h"

#define CAUSE_TIME_SHIFT 20 /* the unit of the timeline is 2^20 ns, about a millisecond */
#define CAUSE_TIME_BINS 1024

struct cause_change {
	/* adjusted for the number of points that were tried; NaN: too few answers */
	double p;
	uint64_t wall_ns; /* ns, wall clock; the point in time */
	uint64_t before_n, before_hits, after_n, after_hits;
};

/*
 * Finds the point with the clearest difference between the answers before and after it. p is the
 * probability of such a difference at any point if time has no effect: the smallest exact binomial
 * tail of at most 64 points, times the number of points. design_effect: the variance of the answers
 * divided by that of independent answers, at least 1; if neighbouring intervals vary even more,
 * their variation is used.
 */
void cause_change_find(const struct timeline *t, double design_effect, struct cause_change *ret);
