#pragma once
/*
 * pairs_walk - every pair of greedy answers of a capture and what the ladder says of it, for those
 * who ask further. The same pairs that an analysis with these options has in its headline, floors
 * left out.
 */
#include "analyzer/trial.h"

/* Rewinds the capture, before and after. */
void pairs_walk(struct capture *c, const struct analysis_options *options,
        void (*on_greedy)(void *arg, const struct trial_greedy *pair), void *arg);
