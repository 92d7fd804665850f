#pragma once
/*
 * setting - describes how to draw captures from a pool. Computes the true value of each figure, and
 * the analyzer's estimates and intervals for one capture.
 *
 * Exchanges are grouped in sessions, which are the clusters. In a `together` session all exchanges
 * have the same probability to differ, drawn from a beta distribution with mean `rate`, and the
 * same noise. In other sessions this probability is `rate`, and each exchange has its own noise.
 */
#include "base/rng.h"
#include "tests/truth/pool.h"

/* exchanges of a session; HEAVY: from a Pareto distribution, at most 40 */
enum sizes { SIZES_ONE, SIZES_FIVE, SIZES_HEAVY };

struct setting {
	double rate; /* of differing answers */
	size_t n;    /* exchanges */
	enum sizes sizes;
	bool together;
	double floor; /* how often either side differs from itself, as a share of `rate` */
};

/* The estimated figures; the first ones are counts of events. */
enum what {
	WHAT_DIFFER,
	WHAT_CHANGED,
	WHAT_HAZARD,
	WHAT_SAME_TOP,
	WHAT_SIMILARITY,
	WHAT_INDEX,
	WHAT_KL,
	WHAT_SCORE,
	WHAT_FORCED,
	WHAT_FORCED_ANSWERS,
	WHAT_EXCESS,
	WHAT_EXCESS_CHANGED,
	WHAT_EXCESS_HAZARD,
	WHAT_EXCESS_TOPS,
	N_WHAT,
};
const char *what_name(enum what w);

struct findings {
	double value[N_WHAT];
	struct interval ci[N_WHAT];
	unsigned alarms; /* figures of the excess that raise an alarm */
	uint64_t shifts; /* first differences that the analyzer calls a shift */
	bool first_differences_judged;
	size_t clusters;
};

/* The true value of each figure. */
void setting_truth(const struct setting *s, const struct pool *p, double ret[N_WHAT]);
/* The expected number of events in one capture that this figure counts. */
double setting_events(const struct setting *s, const struct pool *p, enum what w);
/* Draws one capture and estimates its figures. */
void setting_draw(
        const struct setting *s, const struct pool *p, struct rng *random, struct findings *ret);
