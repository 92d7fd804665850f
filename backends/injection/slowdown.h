#pragma once
/*
 * slowdown - how much longer answers take with injected fields than without, as far as it is certain.
 *
 * Times of answers that were drawn at random for one side or the other. When there are SLOWDOWN_SAMPLE
 * of each, the ratio of a typical time with the fields to one without is estimated with its 99 %
 * interval, and the next sample begins. Estimator and interval are Hodges' and Lehmann's for the
 * shift between two samples, here of the times' logarithms: the median of all pairwise differences,
 * and the order statistics of them that bound the Mann-Whitney test (Hollander, Wolfe, Chicken,
 * Nonparametric Statistical Methods, 3rd ed., 4.2 and 4.3, large-sample form). So neither the shape
 * of the times' distribution nor a few stalled answers matter.
 *
 * Of the side that has more than the sample each answer has the same chance to be in it, so that both
 * sides are of the same stretch of time. Pure; the caller locks.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"

#define SLOWDOWN_SAMPLE 50

struct slowdown {
	uint64_t n[2]; /* times given since the sample began: plain, injected */
	struct rng rng;
	uint32_t rounds; /* samples that were judged */
	float log_time[2][SLOWDOWN_SAMPLE];
};

struct slowdown_ratio {
	double low, middle, high; /* 1: as long as without */
};

/* time: of any unit, above 0. True: a sample is complete, and *ret the ratio that it shows. */
bool slowdown_add(struct slowdown *s, bool injected, double time, struct slowdown_ratio *ret);
