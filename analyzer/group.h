#pragma once
/*
 * group - all that was found of one backend held against another. Bounded memory; groups merge, and
 * the same groups merged in the same order give the same bits.
 */
#include "analyzer/blame.h"
#include "analyzer/causes/cause.h"
#include "analyzer/causes/causes.h"
#include "analyzer/charts.h"
#include "analyzer/compare/decoding.h"
#include "analyzer/compare/embedding.h"
#include "analyzer/causes/evidence.h"
#include "analyzer/example.h"
#include "analyzer/facet.h"
#include "analyzer/kept.h"
#include "analyzer/left_out.h"
#include "analyzer/metrics.h"
#include "analyzer/picks.h"
#include "analyzer/openings.h"
#include "analyzer/opinions/opinions.h"
#include "analyzer/compare/meaning/placement.h"
#include "analyzer/tally.h"
#include "analyzer/stats/two_sample.h"
#include "analyzer/unlike.h"

/* Who is held against whom. */
struct group_key {
	const char *base, *test; /* names of backends */
	enum role base_role, test_role;
	bool is_floor; /* both sides are one engine: what it differs from itself */
};

struct analysis_group {
	char *base, *test; /* as its key has them */
	enum role base_role, test_role;
	bool is_floor;
	/* For the commands that are proposed; the asker's. NULL: none are. */
	const struct advice_place *place;
	const double *least_effects; /* by enum blame_figure; the asker's. NULL: the usual ones */
	uint64_t legs;               /* pairs of legs, left out or not */
	struct metrics by[N_DECODINGS];
	struct tally tallies[N_DECODINGS];
	struct charts charts[N_DECODINGS];
	struct picks picks; /* of any decoding */
	struct left_out left_out;
	struct kept kept;
	struct evidence evidence;
	struct end_tokens ends;
	struct placements places;
	struct unlikes unlikes;
	struct embedding_figures embeddings;
	struct openings openings;   /* of sampled answers */
	struct facets suites;       /* of them, too */
	struct two_sample *sampled; /* NULL: no prompt was sampled several times */
	struct examples examples;   /* of greedy answers, as are these: */
	struct facets facets;
	struct opinions opinions;
	struct blame blame;
	/* First differences of either side from itself. */
	struct firsts floor_firsts;
	/* The same of prompts that came again, where both pairs and floors are of these alone: prompts that come
	 * often may be easier than others. Taken where they know more. */
	struct blame blame_of_repeats;
	struct firsts repeats_firsts;
	struct causes causes; /* of all answers */

	/* Once settled. */
	struct figure_value values[N_DECODINGS][N_FIGURES];
	struct firsts_verdict first_verdict; /* of greedy answers */
	double sigma;                        /* the noise of the pair, nats; NaN: not known */
	struct blame_verdict blames[N_BLAMES];
	struct cause_list found; /* the causes, the largest share first */
};

/* What other holds may be taken: only group_finish() is left for it. words: one for all groups, see cause_talk. */
void group_merge(struct analysis_group *g, struct analysis_group *other, struct cause_words *words);
/* Once, after the last pair: estimates and verdicts. */
void group_settle(struct analysis_group *g, struct cause_words *words);
/* Answers of a split, with figures. */
static inline bool group_has(const struct analysis_group *g, enum decoding d)
{
	return g->by[d].pairs > 0;
}
void group_finish(struct analysis_group *g);
