#pragma once
/*
 * openings - means, over the pairs of one group, of the figures of compare/tokens/opening.h about
 * the first tokens of sampled answers.
 */
#include "analyzer/compare/tokens/opening.h"
#include "analyzer/stats/clusters.h"

struct openings { /* zero-initialised: empty */
	struct clusters *clusters;
	uint64_t n;                         /* pairs with lists on both sides */
	struct estimate values[N_OPENINGS]; /* set by openings_settle() */
};

/* Adds a pair; NaN: the pair has no data for this figure. */
void openings_add(struct openings *o, const uint8_t cluster[CLUSTERS_KEY_SIZE],
        const double values[N_OPENINGS]);
/* Computes `values`. Call once, after the last pair. */
void openings_settle(struct openings *o);
void openings_finish(struct openings *o);
