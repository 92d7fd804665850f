#pragma once
/*
 * sampled - the two-sample test over a capture: prompts that were sampled several times are read once more.
 */
#include "analyzer/analysis.h"

#define SAMPLED_EXCHANGES_LIMIT 4096 /* that are read once more */
#define SAMPLED_ALPHA 0.01

/* Once, after the last exchange; settles a->samples. One thread. */
void sampled_judge(struct capture *c, const struct analysis_options *options, struct analysis *a);
