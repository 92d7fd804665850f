#pragma once
/*
 * power - how much data a test needs. It distinguishes "no difference was found" from "no
 * difference could have been found". Pure.
 */
#include "analyzer/fold/facet.h"

#define POWER 0.8 /* the chance to find an effect of the least size that matters */

/*
 * The number of samples that finds the effect, if n samples gave an estimate with this standard
 * error (errors shrink with the square root of the number). alpha: of a two-sided test. NaN if the
 * error is not known.
 */
double power_needed(double n, double error, double effect, double alpha);

/* the effect to find: the difference between a slice's share of differing answers and that of all
 * others */
#define POWER_SLICE_EFFECT 0.05
#define POWER_SLICE_ALPHA 0.01 /* for all slices of a group together */

/*
 * The number of answers that a slice needs, so that its share of differing answers can be
 * distinguished from that of the others. NaN: no number is enough, because the others are too few.
 */
double power_slice_needed(const struct facets *all, const struct facet *slice);
