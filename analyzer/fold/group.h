#pragma once
/*
 * group - all results of one backend compared with another. Memory is limited.
 */
#include "analyzer/fold/draws.h"
#include "analyzer/fold/excess.h"
#include "analyzer/causes/cause.h"
#include "analyzer/causes/causes.h"
#include "analyzer/fold/charts.h"
#include "analyzer/compare/decoding.h"
#include "analyzer/compare/embedding_figures.h"
#include "analyzer/fold/example.h"
#include "analyzer/fold/facet.h"
#include "analyzer/rows/partial_content.h"
#include "analyzer/rows/left_out.h"
#include "analyzer/fold/pair_metrics.h"
#include "analyzer/fold/picks.h"
#include "analyzer/fold/scores.h"
#include "analyzer/fold/openings.h"
#include "analyzer/opinions/opinions.h"
#include "analyzer/compare/meaning/placement.h"
#include "analyzer/fold/pair_sums.h"
#include "analyzer/stats/two_sample.h"
#include "analyzer/fold/decoding_differences.h"

/* A pair of legs, and its sides. */
struct group_first {
	/* the base scored the test's answer; such pairs are sorted after all others */
	bool is_score;
	struct id exchange, base, test; /* base, test: legs */
	enum role base_role, test_role;
	bool is_floor; /* both sides are one engine: this is its difference from itself */
};

struct analysis_group {
	char *base, *test; /* names of both sides */
	/* Roles in the first pair in the capture; a backend may have had several. */
	enum role base_role, test_role;
	bool is_floor;
	struct group_first first; /* the first pair in the capture; zero ids: there is none */
	/* For proposed commands; owned by the caller. NULL: propose none. */
	const struct advice_place *place;
	const double *least_effects;  /* N_LEAST_EFFECTS; owned by the caller. NULL: the defaults */
	const struct draws *draws;    /* draws of all engines, settled; NULL: unknown */
	const struct scores *of_base; /* the base's scores of its own answers; NULL: none */
	uint64_t legs;                /* pairs of legs, including those that were left out */
	struct pair_metrics by[N_DECODINGS];
	struct pair_sums tallies[N_DECODINGS];
	struct charts charts[N_DECODINGS];
	struct picks picks; /* pairs of any decoding */
	struct left_out left_out;
	struct partial_content partial_content;
	struct end_tokens ends;
	struct placements places;
	struct decoding_differences decoding_differences;
	struct embedding_figures embeddings;
	struct openings openings;  /* over sampled answers */
	struct facets suites;      /* over sampled answers, by suite */
	struct two_sample sampled; /* over prompts that were sampled several times */
	struct examples examples;  /* over greedy answers, like the next four */
	struct widest widest;
	struct facets facets;
	struct opinions opinions;
	struct excess excess;
	/* First differences of either side from itself, over greedy answers. */
	struct first_differences floor_firsts;
	/* Excess and first differences over repeated prompts only, both pairs and floors, since
	 * frequent prompts may be easier than others. Used if they have more data. */
	struct excess excess_of_repeats;
	struct first_differences repeats_firsts;
	struct causes causes; /* over all answers */
	struct scores scores; /* the base's scores of the test's tokens */

	/* group_settle() sets the following. */
	/* The group has pairs, or scores on which a verdict can be based (scores_decide()). */
	bool is_judged;
	struct figure_value values[N_DECODINGS][N_FIGURES];
	struct first_differences_verdict first_verdict; /* over greedy answers */
	double sigma; /* the noise of the pair, nats; NaN: unknown */
	struct excess_verdict excesses[N_EXCESSES];
	struct cause_list found; /* causes, the one with the largest share first */
};

/* Adds a pair of the group, which may be the first one in the capture. */
void group_add_pair(struct analysis_group *g, const struct group_first *pair);
/* Orders groups by their first pair in the capture, for qsort(). */
int group_compare(const void *a, const void *b);
/* Call once, after the last pair. Computes estimates and verdicts. */
void group_settle(struct analysis_group *g);
/* True if the group has pairs with this decoding. */
static inline bool group_has(const struct analysis_group *g, enum decoding d)
{
	return g->by[d].pairs > 0;
}
/* The engines of both sides, for proposed commands. */
const struct advice_engine *group_base_engine(const struct analysis_group *g);
const struct advice_engine *group_test_engine(const struct analysis_group *g);
void group_finish(struct analysis_group *g);
