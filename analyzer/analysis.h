#pragma once
/*
 * analysis - analyzes a capture: makes its rows (rows/capture_walk.h) and folds them (fold/fold.h).
 * With several threads, each thread makes the rows of its own parts, and one fold takes the rows of
 * all.
 */
#include "analyzer/fold/fold.h"
#include "analyzer/rows/capture_walk.h"

/* Makes and folds all rows, and calls analysis_settle(). Blocks until the whole capture is read.
 * Overwrites *ret; the caller frees it with analysis_finish(). Additional threads open the capture
 * again; damage that they find is added to the damage that c reports. */
void analysis_run(struct capture *c, const struct analysis_options *options, struct analysis *ret);
/* Computes all estimates, causes and verdicts. Call once, after the last row. place, least_effects:
 * see struct analysis_group (fold/group.h); *a keeps the pointers. */
void analysis_settle(
        struct analysis *a, const struct advice_place *place, const double *least_effects);
