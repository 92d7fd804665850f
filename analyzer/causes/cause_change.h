#pragma once
/*
 * cause_change - finds a point in time from which on more or fewer answers differ. Pure.
 */
#include "analyzer/stats/timeline.h"

#define CAUSE_TIME_SHIFT 20 /* the unit of the timeline: 2^20 ns, about a millisecond */
#define CAUSE_TIME_BINS 1024

struct cause_change {
	double p;         /* adjusted for the number of tried points; NaN: too few answers */
	uint64_t wall_ns; /* the point in time */
	uint64_t before_n, before_hits, after_n, after_hits;
};

/*
 * Finds the point with the clearest difference between before and after. p is the probability of
 * such a difference at any point if time did not matter: the smallest exact binomial tail of at
 * most 64 tried points, times their number. design_effect: the variance of the answers divided by
 * that of independent ones, at least 1; if neighbouring intervals vary even more, their variation
 * is used instead.
 */
void cause_change_find(const struct timeline *t, double design_effect, struct cause_change *ret);
