#pragma once
/*
 * pairs_walk - every pair of greedy answers of a capture and what it shows, for those who ask further. The same
 * pairs that an analysis with these options has in its headline, floors left out.
 */
#include "analyzer/walk.h"

/* Rewinds the capture, before and after. */
void pairs_walk(struct capture *c, const struct analysis_options *options,
        void (*on_greedy)(void *arg, const struct pair_row *row, const struct pair_texts *texts),
        void *arg);
