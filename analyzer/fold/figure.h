#pragma once
/*
 * figure - the figures that have an interval. Each is a ratio of two sums over pairs of answers,
 * kept by cluster. docs/metrics.md defines them under the same names.
 */
#include <stdbool.h>
#include <stddef.h>

#include "analyzer/compare/tokens/end_token.h"
#include "analyzer/stats/clusters.h"
#include "analyzer/stats/crossing.h"
#include "analyzer/stats/figure_value.h"

enum figure {
	/* Over answers. */
	FIGURE_DIFFER, /* text, refusal or calls differ, over pairs */
	FIGURE_TEXT_DIFFERS,
	/* a range: the lower end counts changed answers, the upper end also undecided ones */
	FIGURE_ANSWER_CHANGED,
	FIGURE_UNDECIDED,
	FIGURE_SIMILARITY,
	FIGURE_FINISH_DIFFERS,
	FIGURE_DIVERGENCE_INDEX,
	FIGURE_LENGTH_BIAS,
	FIGURE_LENGTH_MAGNITUDE,
	/* right answers, over pairs where both sides are known to be right or wrong */
	FIGURE_BASE_SCORE,
	FIGURE_TEST_SCORE,
	FIGURE_SCORE_SHIFT, /* percentage points */
	FIGURE_HAZARD,
	/* Over comparable positions. */
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

/* Further columns, which are not shown: the two parts of FIGURE_SCORE_SHIFT, which is too rare
 * for a mean; the length figures without the token that ends an answer, which only one side may
 * count; answers whose meaning changed or is undecided, the upper end of FIGURE_ANSWER_CHANGED. */
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
	FIGURE_OF_SHIFT,  /* a difference of two rates: fixed minus broke, in percentage points */
	FIGURE_OF_SQUARE, /* the root of a mean of squares */
	FIGURE_OF_EVENTS, /* first differences per 1,000 tokens at risk */
};

struct figure_info {
	const char *name; /* stable, in --json */
	enum figure_kind kind;
	bool of_positions;
	struct interval bounds; /* the range of its values, as shown */
};
const struct figure_info *figure_info(enum figure f);

/*
 * Estimates all figures; ret has N_FIGURES items; NaN: no data. c and seeds have N_FIGURE_COLUMNS;
 * seeds may be empty. The parts of an interval from prompts and from seeds are combined as in
 * clusters_estimate_rates(), on the scale on which the figure is shown, and limited to its bounds.
 */
void figures_estimate(
        const struct clusters *c, const struct crossing *seeds, struct figure_value *ret);
/* Recomputes the length figures if only one side (end) counts the token that ends an answer.
 * Call after figures_estimate(). */
void figures_subtract_end_token(const struct clusters *c, const struct crossing *seeds,
        enum end_token end, struct figure_value *ret);
