#pragma once
/*
 * power - how much data a test needs. This distinguishes "no difference was found" from "no
 * difference could have been found". Pure.
 */
#include "analyzer/fold/facet.h"

#define POWER 0.8 /* the probability of finding an effect of the least size that matters */

/*
 * The number of samples that a two-sided test at this alpha needs to find the effect with the
 * probability POWER. error: the standard error that n samples gave, in the unit of the effect; it
 * shrinks with the square root of their number. At least 1. NaN: the error is unknown.
 */
double power_needed(double n, double error, double effect, double alpha);

/* the effect to find: the difference between the share of differing answers in a slice (one
 * value of a facet) and that in all other slices of the facet */
#define POWER_SLICE_EFFECT 0.05
#define POWER_SLICE_ALPHA 0.01 /* for all slices of all facets of a group together */

/*
 * The number of answers that a slice needs, so that POWER_SLICE_EFFECT can be found. NaN: no number
 * is enough, because the other slices have too few.
 */
double power_slice_needed(const struct facets *all, const struct facet *slice);
