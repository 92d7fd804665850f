#pragma once
/*
 * power - how much data a test needs. This distinguishes "no difference was found" from "no
 * difference could have been found". Pure.
 */
#include "analyzer/fold/facet.h"

#define POWER 0.8 /* the probability of finding an effect of the least size that matters */

/*
 * The number of samples that is needed to find the effect, if n samples gave an estimate with this
 * standard error (errors shrink with the square root of the number). alpha: of a two-sided test.
 * NaN: the error is unknown.
 */
double power_needed(double n, double error, double effect, double alpha);

/* the effect to find: difference between the share of differing answers in a slice and in all
 * others */
#define POWER_SLICE_EFFECT 0.05
#define POWER_SLICE_ALPHA 0.01 /* for all slices of a group together */

/*
 * The number of answers that a slice needs, so that its share of differing answers can be
 * distinguished from that of all others. NaN: no number is enough, because the others are too few.
 */
double power_slice_needed(const struct facets *all, const struct facet *slice);
