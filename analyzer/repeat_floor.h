#pragma once
/*
 * repeat_floor - noise floors out of repeated prompts, where a capture has no second legs.
 *
 * The exchanges of such prompts are read once more, each with the answers that the same backend gave to
 * the same request elsewhere, as if these were second legs. A group that has no floor of its own, or one
 * only, is then judged on these exchanges alone, trial and floors: prompts that come often may be easier
 * than others, so that a floor of theirs must not be held against the difference of all.
 */
#include "analyzer/analysis.h"

#define REPEAT_EXCHANGES_LIMIT 4096 /* that are read once more */

/* Once, after the last exchange; settles a->repeats. One thread. */
void repeat_floor_judge(
        struct capture *c, const struct analysis_options *options, struct analysis *a);
