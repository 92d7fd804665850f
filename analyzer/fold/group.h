#pragma once
/*
 * group - all results of comparing one backend (the test) with another backend or with itself (the
 * base). Memory is limited.
 */
#include "analyzer/fold/draws.h"
#include "analyzer/fold/excess.h"
#include "analyzer/fold/cause.h"
#include "analyzer/fold/causes.h"
#include "analyzer/fold/charts.h"
#include "analyzer/compare/decoding.h"
#include "analyzer/compare/embedding_figures.h"
#include "analyzer/fold/example.h"
#include "analyzer/fold/facet.h"
#include "analyzer/rows/partial_content.h"
#include "analyzer/rows/left_out.h"
#include "analyzer/fold/picks.h"
#include "analyzer/fold/scores.h"
#include "analyzer/fold/openings.h"
#include "analyzer/opinions/opinions.h"
#include "analyzer/compare/meaning/placement.h"
#include "analyzer/fold/pair_sums.h"
#include "analyzer/stats/two_sample.h"
#include "analyzer/fold/decoding_differences.h"

/* A pair of legs: two answers, or a leg with scores (as the base) and the scored answer. */
struct group_first {
	/* it has scores; such pairs come after all others in the order of pairs */
	bool is_score;
	struct id exchange, base, test; /* base, test: ids of the legs */
	enum role base_role, test_role;
	bool is_floor; /* both sides are one engine */
};

struct analysis_group {
	char *base, *test; /* names of both sides */
	/* the roles in the pair `first`; a backend may have had several */
	enum role base_role, test_role;
	/* both sides are one engine in all pairs of answers, or else in all with scores */
	bool is_floor;
	struct group_first first; /* the first pair in the capture; exchange zero: there is none */
	/* for the commands that the report proposes; owned by the caller. NULL: propose none */
	const struct advice_place *place;
	const double *least_effects;  /* N_LEAST_EFFECTS; owned by the caller. NULL: the defaults */
	const struct draws *draws;    /* of all engines, settled; NULL: unknown */
	const struct scores *of_base; /* the base's scores of its own answers; NULL: none */
	/* pairs of legs with answers, including those that were left out */
	uint64_t legs;
	struct pair_sums sums[N_DECODINGS];
	struct charts charts[N_DECODINGS];
	struct picks picks; /* pairs of all decodings */
	struct left_out left_out;
	struct partial_content partial_content;
	struct end_tokens ends;
	struct placements places;
	struct decoding_differences decoding_differences;
	struct embedding_figures embeddings;
	struct openings openings;  /* over sampled answers */
	struct facets suites;      /* over sampled answers, by suite */
	struct two_sample sampled; /* over prompts that were sampled several times */
	struct examples examples;  /* over greedy answers, as are the next four members */
	struct widest widest;
	struct facets facets;
	struct opinions opinions;
	struct excess excess;
	/* first differences of greedy answers of a side from other answers of this side */
	struct first_differences floor_firsts;
	/* `excess` and `floor_firsts` over repeated prompts only, also for the pairs between both
	 * sides, because frequent prompts may be easier than others. If excess_of_repeats has the
	 * floors of more sides and enough pairs, group_settle() swaps it with `excess`, and
	 * repeats_firsts with floor_firsts if that is empty. */
	struct excess excess_of_repeats;
	struct first_differences repeats_firsts;
	struct causes causes; /* over all answers */
	struct scores scores; /* the base's scores of the test's answers */

	/* analysis_settle() sets is_judged, causes_judge() sets `found`, and group_settle() sets
	 * the members between them. */
	/* True if the group has pairs of legs, or scores that decide (scores_decide()), or
	 * scores that count in scores.processed. */
	bool is_judged;
	struct figure_value values[N_DECODINGS][N_FIGURES];
	struct first_differences_verdict first_verdict; /* over greedy answers */
	double sigma; /* the noise between the sides: first_sigma(), nats; NaN: unknown */
	struct excess_verdict excesses[N_EXCESSES];
	struct cause_list found; /* sorted by cause_list_sort() */
};

/* Call for each pair. If it comes before `first`, sets `first` and the roles from it. Updates
 * is_floor. */
void group_add_pair(struct analysis_group *g, const struct group_first *pair);
/* For qsort(): judged groups before others; then groups with answers before those with scores
 * alone; then by the first pair in the capture. */
int group_compare(const void *a, const void *b);
/* Computes the estimates. Call once, after the last row. Before, set place, least_effects, draws,
 * of_base and is_judged. */
void group_settle(struct analysis_group *g);
/* True if the group has compared pairs with this decoding. */
static inline bool group_has(const struct analysis_group *g, enum decoding d)
{
	return g->sums[d].pairs > 0;
}
/* The compared pairs with any decoding. */
uint64_t group_pairs(const struct analysis_group *g);
/* The engines of both sides, for the commands that a report proposes. */
const struct advice_engine *group_base_engine(const struct analysis_group *g);
const struct advice_engine *group_test_engine(const struct analysis_group *g);
void group_finish(struct analysis_group *g);
