#pragma once
/*
 * analysis - analyzes a capture: makes its rows (walk) and folds them (fold). With several threads
 * each makes the rows of its own parts, and one fold takes them all.
 */
#include "analyzer/fold/fold.h"
#include "analyzer/rows/walk.h"

/* Finish *ret. Additional threads open captures of their own; damage that they find is counted in
 * c. */
void analysis_run(struct capture *c, const struct analysis_options *options, struct analysis *ret);
