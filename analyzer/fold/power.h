#pragma once
/*
 * power - how much data would be enough: so that "no difference was found" can be told from "none could
 * have been". Pure.
 */
#include "analyzer/fold/facet.h"

#define POWER 0.8 /* the chance to find an effect of the least size that matters */

/*
 * How many would find it, when so many gave an estimate with this standard error: errors shrink with the root
 * of their number. alpha: of a two-sided test. NaN where the error is not known.
 */
double power_needed(double n, double error, double effect, double alpha);

#define POWER_SLICE_EFFECT 0.05 /* between a slice's share of differing answers and all others' */
#define POWER_SLICE_ALPHA 0.01  /* over all slices of a group */

/*
 * Answers that a slice needs so that its share of differing ones could be told from the others'. NaN: no number
 * would do, for the others are too few themselves.
 */
double power_slice_needed(const struct facets *all, const struct facet *slice);
