#pragma once
/*
 * figure - the figures with an interval that compare pairs of answers. Each is a ratio of two sums
 * over pairs, kept by cluster. docs/metrics.md defines them under their names.
 */
#include <stdbool.h>
#include <stddef.h>

#include "analyzer/compare/tokens/end_token.h"
#include "analyzer/stats/clusters.h"
#include "analyzer/stats/crossing.h"
#include "analyzer/stats/figure_value.h"

enum figure {
	/* Over answers: */
	FIGURE_DIFFER, /* text, refusal or calls differ */
	FIGURE_TEXT_DIFFERS,
	/* a range: the lower end counts changed answers, the upper end also undecided ones */
	FIGURE_ANSWER_CHANGED,
	FIGURE_UNDECIDED,
	FIGURE_SIMILARITY,
	FIGURE_FINISH_DIFFERS,
	FIGURE_DIVERGENCE_INDEX,
	FIGURE_LENGTH_BIAS,
	FIGURE_LENGTH_MAGNITUDE,
	/* right answers, over pairs in which it is known for both sides whether they are right */
	FIGURE_BASE_SCORE,
	FIGURE_TEST_SCORE,
	FIGURE_SCORE_SHIFT, /* percentage points */
	/* Over comparable positions: */
	FIGURE_HAZARD,
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

/* Further columns of the sums, which are no figures:
 *	BROKE, FIXED       only the base's answer is right; only the test's is. They give the
 *	                   interval of FIGURE_SCORE_SHIFT
 *	BIAS, MAGNITUDE    the length figures without the end token of one side
 *	MAY_CHANGE         the meaning changed or is undecided: the upper end of
 *	                   FIGURE_ANSWER_CHANGED */
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
	FIGURE_OF_RATE,   /* a count divided by a count: 0 to 1 */
	FIGURE_OF_SHARES, /* a mean of numbers from 0 to 1 */
	FIGURE_OF_MEAN,   /* a mean */
	FIGURE_OF_SHIFT,  /* a difference of two rates: fixed minus broke, in percentage points */
	FIGURE_OF_SQUARE, /* the root of a mean of squares */
	FIGURE_OF_EVENTS, /* first differences per 1,000 comparable positions */
};

struct figure_info {
	const char *name; /* stable, in the document */
	enum figure_kind kind;
	bool of_positions;
	struct interval bounds; /* the least and the largest possible value, as shown */
};
const struct figure_info *figure_info(enum figure f);

/*
 * Estimates all figures; ret has N_FIGURES items, with value NaN if there is no data. c and seeds
 * have N_FIGURE_COLUMNS columns; seeds may be empty. If prompts are crossed with seeds, an interval
 * covers both (crossing_widen()), in the unit in which the figure is shown. Intervals are limited
 * to the figure's bounds.
 */
void figures_estimate(
        const struct clusters *c, const struct crossing *seeds, struct figure_value *ret);
/* If only one side counts the token that ends an answer (`end`), computes the length figures again
 * without this token; else does nothing. Call after figures_estimate(). */
void figures_subtract_end_token(const struct clusters *c, const struct crossing *seeds,
        enum end_token end, struct figure_value *ret);
