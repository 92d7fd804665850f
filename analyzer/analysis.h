#pragma once
/*
 * analysis - a capture as figures: its rows are made (walk) and summed up (fold), by one thread
 * or several: each makes the rows of its own parts, and one fold takes them all.
 */
#include "analyzer/fold/fold.h"
#include "analyzer/rows/walk.h"

/* Finish *ret. Threads beside this one read through captures of their own; their damaged parts
 * count as c's. */
void analysis_run(struct capture *c, const struct analysis_options *options, struct analysis *ret);
