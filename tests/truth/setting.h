#pragma once
/*
 * setting - how captures are drawn from a pool, the truth of each of their figures, and one
 * capture's intervals, by the analyzer's own tallies, excess and teacher-forced figures.
 *
 * Exchanges come in sessions, which are the clusters. In a session that goes together all exchanges
 * have one chance to differ, drawn from a beta distribution, and one noise; else each has its own.
 */
#include "base/rng.h"
#include "tests/truth/pool.h"

enum sizes { SIZES_ONE, SIZES_FIVE, SIZES_HEAVY };

struct setting {
	double rate; /* of differing answers */
	size_t n;    /* exchanges */
	enum sizes sizes;
	bool together;
	double floor; /* of the rate: how often either side differs from itself */
};

/* What is estimated; the first ones are counts of events. */
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
	unsigned alarms; /* of the excess */
	uint64_t shifts; /* first differences that were called one */
	bool first_differences_judged;
	size_t clusters;
};

void setting_truth(const struct setting *s, const struct pool *p, double ret[N_WHAT]);
/* Events that one capture is expected to have, of those that this figure counts. */
double setting_events(const struct setting *s, const struct pool *p, enum what w);
/* One capture; random is what it is drawn by. */
void setting_draw(
        const struct setting *s, const struct pool *p, struct rng *random, struct findings *ret);
