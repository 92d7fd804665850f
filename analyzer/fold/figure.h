#pragma once
/*
 * figure - the figures that come with an interval: each is a ratio of two sums over pairs of
 * answers, kept by cluster. docs/metrics.md defines them under the same names.
 */
#include <stdbool.h>
#include <stddef.h>

#include "analyzer/compare/tokens/end_token.h"
#include "analyzer/stats/clusters.h"
#include "analyzer/stats/crossing.h"
#include "analyzer/stats/figure_value.h"

enum figure {
	/* Of answers. */
	FIGURE_DIFFER, /* text, refusal or calls: the whole of it counts pairs */
	FIGURE_TEXT_DIFFERS,
	FIGURE_ANSWER_CHANGED, /* a range: at least the changed, at most the undecided too */
	FIGURE_UNDECIDED,
	FIGURE_SIMILARITY,
	FIGURE_FINISH_DIFFERS,
	FIGURE_DIVERGENCE_INDEX,
	FIGURE_LENGTH_BIAS,
	FIGURE_LENGTH_MAGNITUDE,
	FIGURE_BASE_SCORE, /* right answers, of pairs where both sides could be told right or wrong */
	FIGURE_TEST_SCORE,
	FIGURE_SCORE_SHIFT, /* percentage points */
	FIGURE_HAZARD,
	/* Of comparable positions. */
	FIGURE_SAME_TOP,
	FIGURE_TOP1_RMSE,
	FIGURE_DELTA_LP,
	FIGURE_DELTA_LP_RMS,
	FIGURE_DELTA_P_RMS,
	FIGURE_JACCARD_5,
	FIGURE_JACCARD_K,
	FIGURE_RANK,
	FIGURE_K3,
	FIGURE_KL_LOW,
	FIGURE_TV_LOW,
	FIGURE_TV_HIGH,
	FIGURE_JS_LOW,
	FIGURE_JS_HIGH,
	FIGURE_HIDDEN,
	FIGURE_KL_RENORMALISED,
	N_FIGURES,
};

/* Columns beside the figures': what a score's shift is made of, for it is too rare to be a
 * mean, and lengths without the token that ends an answer, which one side may count alone;
 * answers whose meaning changed or is undecided, the upper end of FIGURE_ANSWER_CHANGED. */
enum {
	FIGURE_BROKE = N_FIGURES,
	FIGURE_FIXED,
	FIGURE_BIAS_LESS_BASE_END,
	FIGURE_MAGNITUDE_LESS_BASE_END,
	FIGURE_BIAS_LESS_TEST_END,
	FIGURE_MAGNITUDE_LESS_TEST_END,
	FIGURE_MAY_CHANGE,
	N_FIGURE_COLUMNS
};

enum figure_kind {
	FIGURE_OF_RATE,   /* counts out of counts: 0..1 */
	FIGURE_OF_SHARES, /* a mean of numbers from 0 to 1 */
	FIGURE_OF_MEAN,   /* a mean */
	FIGURE_OF_SHIFT,  /* fixed less broke */
	FIGURE_OF_SQUARE, /* the root of a mean of squares */
	FIGURE_OF_EVENTS, /* first differences per 1,000 tokens at risk */
};

struct figure_info {
	const char *name; /* stable, in --json */
	enum figure_kind kind;
	bool of_positions;
	struct interval bounds; /* of what it can be, as it is told */
};
const struct figure_info *figure_info(enum figure f);

/*
 * All of them, ret[N_FIGURES]; NaN where nothing was counted. c and seeds have N_FIGURE_COLUMNS;
 * seeds may be empty. Both parts of an interval are put together as clusters_estimate_rates() does
 * it, on the scale that the figure is told on, and end at its bounds.
 */
void figures_estimate(
        const struct clusters *c, const struct crossing *seeds, struct figure_value *ret);
/* Afterwards: the lengths' figures anew where one side alone counts the token that ends an
 * answer. */
void figures_leave_end_token(const struct clusters *c, const struct crossing *seeds,
        enum end_token end, struct figure_value *ret);
