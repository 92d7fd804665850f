#pragma once
/*
 * analysis - analyzes a capture: makes its rows (rows/capture_walk.h) and folds them (fold/fold.h).
 * With several threads, each thread makes the rows of its own parts, and one fold takes the rows of
 * all.
 */
#include "analyzer/fold/fold.h"
#include "analyzer/rows/capture_walk.h"

/* Makes and folds all rows, and computes the estimates and verdicts (analysis_settle()).
 * Overwrites *ret; the caller frees it with analysis_finish(). Additional threads open the capture
 * again; the damage that they find counts as found by c. */
void analysis_run(struct capture *c, const struct analysis_options *options, struct analysis *ret);
/* Computes all estimates, causes and verdicts. Call once, after the last row. place, least_effects:
 * see struct analysis_group. */
void analysis_settle(
        struct analysis *a, const struct advice_place *place, const double *least_effects);
