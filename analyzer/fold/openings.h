#pragma once
/*
 * openings - figures about the first tokens of sampled answers, over many pairs. See
 * compare/tokens/opening.h.
 */
#include "analyzer/compare/tokens/opening.h"
#include "analyzer/stats/clusters.h"

struct openings { /* zero-initialised is empty */
	struct clusters *clusters;
	uint64_t n;                         /* answers with lists on both sides */
	struct estimate values[N_OPENINGS]; /* valid after openings_settle() */
};

void openings_add(struct openings *o, const uint8_t cluster[CLUSTERS_KEY_SIZE],
        const double values[N_OPENINGS]);
void openings_settle(struct openings *o);
void openings_finish(struct openings *o);
