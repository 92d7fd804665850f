#pragma once
/*
 * facet_sums - what the answers of a facet sum up to, by cluster. One thread.
 */
#include "analyzer/stats/crossing.h"
#include "analyzer/fold/tally.h"

enum facet_figure {
	FACET_DIFFER,
	FACET_ANSWER_CHANGED, /* at least; with FACET_MAY_CHANGE, at most, it is a range */
	FACET_MAY_CHANGE,
	FACET_HAZARD,
	FACET_SCORE_SHIFT, /* percentage points: fixed less broke */
	FACET_BROKE,
	FACET_FIXED,
	FACET_DIVERGENCE_INDEX,
	N_FACET_FIGURES
};

/* Whose answers: the prompt's cluster, and the seed with which both were drawn; NULL: with none, or
 * with two. */
struct facet_source {
	const uint8_t *cluster;
	const int64_t *seed;
};

struct facet_sums {
	struct clusters *clusters; /* as figures of enum facet_figure */
	struct crossing crossing;  /* likewise, of answers with a seed */
	/* What was estimated of settled ones. */
	bool is_settled, is_told;
	struct estimate told[N_FACET_FIGURES];
	size_t seeds;
};

struct facet_sums *facet_sums_create(void);
void facet_sums_destroy(struct facet_sums *s);
void facet_sums_add(struct facet_sums *s, struct facet_source of, const struct pair_facts *facts);
void facet_sums_merge(struct facet_sums *s, const struct facet_sums *other);
/* After the last answer: from then on estimates are made once, when they are asked for. */
void facet_sums_settle(struct facet_sums *s);
/* Intervals hold what the seeds bring, too, where these are crossed with prompts. Returns the
 * number of seeds then, else 0. */
size_t facet_sums_estimate(struct facet_sums *s, struct estimate ret[N_FACET_FIGURES]);
