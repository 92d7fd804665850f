#pragma once
/*
 * slowdown - how much longer answers take with injected fields than without, with an interval.
 *
 * Takes times of answers that were assigned at random to one side or the other. Once it has
 * SLOWDOWN_SAMPLE times of each side, it estimates the ratio of a typical time with the fields to
 * one without, with a 99 % interval, and begins the next sample. Estimator and interval are those
 * of Hodges and Lehmann for the shift between two samples, applied to the logarithms of times: the
 * median of all pairwise differences, and the order statistics that bound the Mann-Whitney test
 * (Hollander, Wolfe, Chicken, Nonparametric Statistical Methods, 3rd ed., 4.2 and 4.3, large-sample
 * form). So neither the shape of the distribution nor a few stalled answers matter.
 *
 * If a side has more answers than fit into the sample, each one has the same chance to be in it, so
 * that both sides cover the same period. Pure; the caller locks.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"

#define SLOWDOWN_SAMPLE 50

struct slowdown {
	uint64_t n[2]; /* times since the sample began: plain, injected */
	struct rng rng;
	uint32_t rounds; /* samples that were evaluated */
	float log_time[2][SLOWDOWN_SAMPLE];
};

struct slowdown_ratio {
	double low, middle, high; /* 1: as fast as without */
};

/* time: in any unit, above 0. True: a sample is complete, and *ret is its ratio. */
bool slowdown_add(struct slowdown *s, bool injected, double time, struct slowdown_ratio *ret);
