#pragma once
/*
 * slowdown - measures how much longer answers take with injected members than without.
 *
 * It takes the durations of answers whose requests were assigned at random to be injected or plain.
 * Once it has SLOWDOWN_SAMPLE durations of each side, it estimates the ratio of a typical duration
 * with injection to one without, with a 99 % interval, and begins the next sample. Estimator and
 * interval are those of Hodges and Lehmann for the shift between two samples, applied to the
 * logarithms of durations: the median of all pairwise differences, and the order statistics that
 * bound the Mann-Whitney test (Hollander, Wolfe, Chicken, Nonparametric Statistical Methods, 3rd
 * ed., 4.2 and 4.3, large-sample form). So the shape of the distribution and a few stalled answers
 * do not matter.
 *
 * If a side has more answers than fit into the sample, each answer has the same chance to be in it,
 * so that both sides cover the same period. The caller compares the ratio with its limit, the
 * setting logprobs.max_slowdown. Pure; the caller locks.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"

#define SLOWDOWN_SAMPLE 50

/* Zero-initialised is empty. */
struct slowdown {
	uint64_t n[2]; /* durations since the sample began: plain, injected */
	struct rng rng;
	uint32_t rounds; /* samples that were evaluated */
	float log_time[2][SLOWDOWN_SAMPLE];
};

struct slowdown_ratio {
	double low, middle, high; /* ratio and its 99 % interval; 1: as fast as without */
};

/* Adds a duration (any unit, above 0). True: a sample is complete, and *ret is its ratio. */
bool slowdown_add(struct slowdown *s, bool injected, double time, struct slowdown_ratio *ret);
