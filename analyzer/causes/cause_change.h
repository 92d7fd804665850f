#pragma once
/*
 * cause_change - finds a point in time after which more, or fewer, answers differ. Pure.
 */
#include "analyzer/fold/causes.h"

struct cause_change {
	/* NaN: fewer than 8 answers differ, or no point has at least 20 answers on both sides;
	 * then all other members are 0 */
	double p;
	uint64_t wall_ns; /* the point in time, wall clock */
	/* ..._n: answers before or after this point; ..._hits: those of them that differ */
	uint64_t before_n, before_hits, after_n, after_hits;
};

/*
 * Tries up to 63 points in time, and keeps the one with the smallest p value: there, the shares of
 * differing answers (hits) before and after the point differ most clearly. ret->p is this p value
 * times the number of points (Bonferroni), at most 1.
 *
 * The p value of a point, with n of all N answers and h of all H hits before it: twice the tail,
 * from h / D outwards, of the binomial distribution with H / D trials and share n / N; at most 1.
 * If D is 1, this is the exact test of two Poisson rates (Przyborowski and Wilenski, 1940). Numbers
 * divided by D need not be whole (proportion_binomial_above()).
 *
 * D is the larger one of design_effect and of the overdispersion: the mean, over pairs of
 * neighbouring intervals with the shares r1 and r2, of (r1 - r2)^2 divided by its expected value
 * for independent answers. The pair around the point is left out. The intervals are those between
 * the points (at most 64); or groups of 2, 4, ... of these, as long as there are 8 groups. The
 * largest mean counts.
 *
 * t: at most CAUSE_TIME_BINS bins, in units of 1 << CAUSE_TIME_SHIFT ns. design_effect: the
 * variance of the share of differing answers, divided by that of independent answers; at least 1.
 */
void cause_change_find(const struct timeline *t, double design_effect, struct cause_change *ret);
