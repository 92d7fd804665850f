#pragma once
/*
 * power - computes how much data a test needs. This distinguishes "no difference was found" from
 * "no difference could have been found". Pure.
 */
#include "analyzer/fold/facet.h"

#define POWER 0.8 /* the probability of finding an effect of the least size that matters */

/*
 * The number of samples that a two-sided test at this alpha needs to find the effect with the
 * probability POWER: n ((z(1 - alpha / 2) + z(POWER)) error / effect)^2, with the quantiles z of
 * the normal distribution, rounded up. error: the standard error that n samples gave, in the unit
 * of the effect; it shrinks with the square root of their number. At least 1. NaN: the error is
 * unknown.
 */
double power_needed(double n, double error, double effect, double alpha);

/* The effect to find in a slice (one value of a facet): the slice's share of differing answers
 * minus the share in all other slices of the facet. */
#define POWER_SLICE_EFFECT 0.05
#define POWER_SLICE_ALPHA 0.01 /* for all slices of all facets of a group together */

/*
 * The number n of answers that a slice needs, so that POWER_SLICE_EFFECT can be found, given the m
 * answers of the other slices: with e = POWER_SLICE_EFFECT / (z(1 - alpha / 2) + z(POWER)) and
 * alpha = POWER_SLICE_ALPHA / facets_count(), n = design effect * v / (e^2 - v / m), rounded up.
 * v = q (1 - q), where q = (differing answers + 1/2) / (answers + 1) in all slices. Design effect:
 * the variance of the slice's share, divided by that of independent answers; at least 1. NaN: no
 * number is enough, because the other slices have too few answers.
 */
double power_slice_needed(const struct facets *all, const struct facet *slice);
