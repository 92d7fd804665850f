#pragma once
/*
 * group - all that was found of one backend compared with another. Bounded memory.
 */
#include "analyzer/fold/draws.h"
#include "analyzer/fold/excess.h"
#include "analyzer/causes/cause.h"
#include "analyzer/causes/causes.h"
#include "analyzer/fold/charts.h"
#include "analyzer/compare/decoding.h"
#include "analyzer/compare/embedding.h"
#include "analyzer/fold/example.h"
#include "analyzer/fold/facet.h"
#include "analyzer/rows/partial_content.h"
#include "analyzer/rows/left_out.h"
#include "analyzer/fold/metrics.h"
#include "analyzer/fold/picks.h"
#include "analyzer/fold/scores.h"
#include "analyzer/fold/openings.h"
#include "analyzer/opinions/opinions.h"
#include "analyzer/compare/meaning/placement.h"
#include "analyzer/fold/tally.h"
#include "analyzer/stats/two_sample.h"
#include "analyzer/fold/decoding_differences.h"
#include "analyzer/fold/widest.h"

/* A pair of legs that has rows, and what its sides were. */
struct group_first {
	bool is_score; /* the base scored the test's answer: after all other pairs */
	struct id exchange, base, test; /* base, test: legs */
	enum role base_role, test_role;
	bool is_floor; /* both sides are one engine: what it differs from itself */
};

struct analysis_group {
	char *base, *test; /* names */
	/* Of the first pair in the capture: a backend may have had several roles. */
	enum role base_role, test_role;
	bool is_floor;
	struct group_first first; /* zero ids: there is none */
	/* For the commands that are proposed; the asker's. NULL: none are. */
	const struct advice_place *place;
	const double *least_effects;  /* N_LEAST_EFFECTS; the asker's. NULL: the usual ones */
	const struct draws *draws;    /* of all engines, settled; NULL: not known */
	const struct scores *of_base; /* the base's scores of its own answers; NULL: none */
	uint64_t legs;                /* pairs of legs, left out or not */
	struct metrics by[N_DECODINGS];
	struct tally tallies[N_DECODINGS];
	struct charts charts[N_DECODINGS];
	struct picks picks; /* of any decoding */
	struct left_out left_out;
	struct partial_content partial_content;
	struct end_tokens ends;
	struct placements places;
	struct decoding_differences decoding_differences;
	struct embedding_figures embeddings;
	struct openings openings;  /* of sampled answers */
	struct facets suites;      /* of them, too */
	struct two_sample sampled; /* of prompts that were sampled several times */
	struct examples examples;  /* of greedy answers, as are these: */
	struct widest widest;
	struct facets facets;
	struct opinions opinions;
	struct excess excess;
	/* First differences of either side from itself. */
	struct first_differences floor_firsts;
	/* The same of prompts that came again, where both pairs and floors are of these alone:
	 * prompts that come often may be easier than others. Taken where they know more. */
	struct excess excess_of_repeats;
	struct first_differences repeats_firsts;
	struct causes causes; /* of all answers */
	struct scores scores; /* of the test's tokens, by the base */

	/* Once settled. */
	bool is_judged; /* it has pairs, or scores that decide or might; else it is of its scores alone */
	struct figure_value values[N_DECODINGS][N_FIGURES];
	struct first_differences_verdict first_verdict; /* of greedy answers */
	double sigma; /* the noise of the pair, nats; NaN: not known */
	struct excess_verdict excesses[N_EXCESSES];
	struct cause_list found; /* the causes, the largest share first */
};

/* A pair of the group, which may be the first one. */
void group_note_pair(struct analysis_group *g, const struct group_first *pair);
/* Which comes first in the capture; as qsort() has it. */
int group_compare(const void *a, const void *b);
/* Once, after the last pair: estimates and verdicts. */
void group_settle(struct analysis_group *g);
/* Answers of a split, with figures. */
static inline bool group_has(const struct analysis_group *g, enum decoding d)
{
	return g->by[d].pairs > 0;
}
/* The engines of both sides, for the commands that are proposed. */
const struct advice_engine *group_base_engine(const struct analysis_group *g);
const struct advice_engine *group_test_engine(const struct analysis_group *g);
void group_finish(struct analysis_group *g);
