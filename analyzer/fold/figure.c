#include "analyzer/fold/figure.h"

#include <math.h>

#include "base/check.h"

/* The range of values that a figure can have: from, to. */
#define ANY -INFINITY, INFINITY
#define ABOVE 0, INFINITY
#define SHARE 0, 1

static const struct figure_info FIGURES[N_FIGURES] = {
        [FIGURE_DIFFER] = {"differ", FIGURE_OF_RATE, false, {SHARE}},
        [FIGURE_TEXT_DIFFERS] = {"text_differs", FIGURE_OF_RATE, false, {SHARE}},
        [FIGURE_ANSWER_CHANGED] = {"answer_changed", FIGURE_OF_RATE, false, {SHARE}},
        [FIGURE_UNDECIDED] = {"undecided", FIGURE_OF_RATE, false, {SHARE}},
        [FIGURE_SIMILARITY] = {"similarity", FIGURE_OF_SHARES, false, {SHARE}},
        [FIGURE_FINISH_DIFFERS] = {"finish_differs", FIGURE_OF_RATE, false, {SHARE}},
        [FIGURE_DIVERGENCE_INDEX] = {"divergence_index", FIGURE_OF_SHARES, false, {SHARE}},
        [FIGURE_LENGTH_BIAS] = {"length_bias", FIGURE_OF_MEAN, false, {ANY}},
        [FIGURE_LENGTH_MAGNITUDE] = {"length_magnitude", FIGURE_OF_MEAN, false, {ABOVE}},
        [FIGURE_BASE_SCORE] = {"base_score", FIGURE_OF_RATE, false, {SHARE}},
        [FIGURE_TEST_SCORE] = {"test_score", FIGURE_OF_RATE, false, {SHARE}},
        [FIGURE_SCORE_SHIFT] = {"score_shift", FIGURE_OF_SHIFT, false, {-100, 100}},
        [FIGURE_HAZARD] = {"hazard", FIGURE_OF_EVENTS, true, {0, 1000}},
        [FIGURE_SAME_TOP] = {"same_top", FIGURE_OF_RATE, true, {SHARE}},
        [FIGURE_TOP1_RMSE] = {"top1_logprob_rmse", FIGURE_OF_SQUARE, true, {ABOVE}},
        [FIGURE_DELTA_LP] = {"delta_lp", FIGURE_OF_MEAN, true, {ANY}},
        [FIGURE_DELTA_LP_RMS] = {"delta_lp_rms", FIGURE_OF_SQUARE, true, {ABOVE}},
        [FIGURE_DELTA_P_RMS] = {"delta_p_rms", FIGURE_OF_SQUARE, true, {SHARE}},
        [FIGURE_JACCARD_5] = {"jaccard_5", FIGURE_OF_SHARES, true, {SHARE}},
        [FIGURE_JACCARD_K] = {"jaccard_k", FIGURE_OF_SHARES, true, {SHARE}},
        [FIGURE_RANK] = {"rank", FIGURE_OF_MEAN, true, {ABOVE}},
        [FIGURE_K3] = {"k3_score", FIGURE_OF_MEAN, true, {ABOVE}},
        [FIGURE_KL_LOW] = {"kl_low", FIGURE_OF_MEAN, true, {ABOVE}},
        [FIGURE_TV_LOW] = {"tv_low", FIGURE_OF_MEAN, true, {SHARE}},
        [FIGURE_TV_HIGH] = {"tv_high", FIGURE_OF_MEAN, true, {SHARE}},
        [FIGURE_JS_LOW] = {"js_low", FIGURE_OF_MEAN, true, {0, M_LN2}},
        [FIGURE_JS_HIGH] = {"js_high", FIGURE_OF_MEAN, true, {0, M_LN2}},
        [FIGURE_HIDDEN] = {"missing_mass", FIGURE_OF_MEAN, true, {SHARE}},
        [FIGURE_KL_RENORMALISED] = {"kl_renormalised", FIGURE_OF_MEAN, true, {ABOVE}},
};

const struct figure_info *figure_info(enum figure f)
{
	expect(f < N_FIGURES);
	return &FIGURES[f];
}

static const struct rate_term SHIFT[] = {
        {FIGURE_FIXED, FIGURE_FIXED, 100}, {FIGURE_BROKE, FIGURE_BROKE, -100}};

/* Takes value and error from the figure itself, and the interval from the two rates whose
 * difference the shift is. */
static void of_shift(const struct clusters *c, enum figure f, struct estimate *ret)
{
	const struct term own = {f, 1};
	struct estimate parts;
	clusters_estimate_linear(c, &own, 1, ret);
	clusters_estimate_rates(c, SHIFT, ARRAY_LEN(SHIFT), &parts);
	ret->ci = parts.ci;
}

/* Estimates a figure from the sums over clusters, before it is scaled. Leaves figures alone
 * whose intervals come from the bootstrap; draw() sets these. */
static void estimate(const struct clusters *c, enum figure f, struct estimate *ret)
{
	const struct figure_info *info = &FIGURES[f];
	bool of_others = info->of_positions || info->kind == FIGURE_OF_EVENTS;
	const struct counted counted = {
	        .figure = f,
	        .answers = of_others ? FIGURE_DIFFER : f,
	        .shares = info->kind == FIGURE_OF_SHARES,
	        .several = info->of_positions && info->kind != FIGURE_OF_EVENTS,
	};
	switch (info->kind) {
	case FIGURE_OF_RATE:
	case FIGURE_OF_SHARES:
	case FIGURE_OF_EVENTS:
		clusters_estimate_counted(c, &counted, ret);
		break;
	case FIGURE_OF_SHIFT:
		of_shift(c, f, ret);
		break;
	case FIGURE_OF_MEAN:
	case FIGURE_OF_SQUARE:
		break;
	}
}

/* Estimates all figures whose intervals come from the bootstrap, with the same draws. */
static void draw(const struct clusters *c, struct estimate ret[N_FIGURES])
{
	struct term terms[N_FIGURES];
	struct terms of[N_FIGURES];
	struct estimate drawn[N_FIGURES];
	size_t n = 0;
	for (size_t f = 0; f < N_FIGURES; f++) {
		enum figure_kind kind = FIGURES[f].kind;
		if (kind == FIGURE_OF_MEAN || kind == FIGURE_OF_SQUARE) {
			terms[n] = (struct term){f, 1};
			of[n] = (struct terms){&terms[n], 1};
			n++;
		}
	}
	clusters_estimate_all(c, of, n, drawn);
	for (size_t i = 0; i < n; i++) {
		ret[terms[i].figure] = drawn[i];
	}
}

static double root(double square)
{
	return isnan(square) ? NAN : sqrt(fmax(0, square));
}

/* Converts the figure to the unit in which it is reported. Returns the derivative: how much the
 * reported figure changes for a small change of the ratio of sums. */
static double scale(struct figure_value *v, enum figure_kind kind)
{
	switch (kind) {
	case FIGURE_OF_SQUARE:
		v->value = root(v->value);
		v->ci = (struct interval){root(v->ci.low), root(v->ci.high)};
		return v->value > 0 ? 1 / (2 * v->value) : 0;
	case FIGURE_OF_EVENTS:
		v->value *= 1000;
		v->ci = (struct interval){v->ci.low * 1000, v->ci.high * 1000};
		return 1000;
	case FIGURE_OF_RATE:
	case FIGURE_OF_SHARES:
	case FIGURE_OF_MEAN:
	case FIGURE_OF_SHIFT:
		break;
	}
	return 1;
}

/* column: the column of the sums; f: the figure whose kind and bounds apply. */
static struct figure_value value_of(const struct clusters *c, const struct crossing *seeds,
        enum figure f, size_t column, const struct estimate *e)
{
	struct figure_value v = {.n = clusters_total(c, column).whole,
	        .value = e->value,
	        .ci = e->ci,
	        .clusters = e->clusters,
	        .of_prompts = NAN,
	        .of_seeds = NAN};
	struct crossing_part part;
	double by = scale(&v, FIGURES[f].kind);
	if (isnan(e->ci.low)) {
		v.ci = (struct interval){NAN, NAN};
	} else if (crossing_estimate(seeds, c, column, &part)) {
		crossing_widen(v.value, &v.ci, part.reach * by);
		v.seeds = part.seeds;
		v.of_prompts = e->error * by;
		v.of_seeds = part.error * by;
	}
	/* Clip the interval to the possible values; extend it to the value if rounding left that
	 * out. */
	if (!isnan(v.ci.low)) {
		v.ci.low = fmin(fmax(v.ci.low, FIGURES[f].bounds.low), v.value);
		v.ci.high = fmax(fmin(v.ci.high, FIGURES[f].bounds.high), v.value);
	}
	return v;
}

void figures_estimate(
        const struct clusters *c, const struct crossing *seeds, struct figure_value *ret)
{
	struct estimate all[N_FIGURES];
	draw(c, all);
	for (size_t f = 0; f < N_FIGURES; f++) {
		estimate(c, (enum figure)f, &all[f]);
		ret[f] = value_of(c, seeds, (enum figure)f, f, &all[f]);
	}
	struct estimate e;
	clusters_estimate_rate(c, FIGURE_MAY_CHANGE, &e);
	struct figure_value most = value_of(c, seeds, FIGURE_ANSWER_CHANGED, FIGURE_MAY_CHANGE, &e);
	figure_set_most(&ret[FIGURE_ANSWER_CHANGED], &most);
}

void figures_subtract_end_token(const struct clusters *c, const struct crossing *seeds,
        enum end_token end, struct figure_value *ret)
{
	bool of_base = end == END_TOKEN_OF_BASE;
	const struct term columns[] = {
	        {of_base ? FIGURE_BIAS_LESS_BASE_END : FIGURE_BIAS_LESS_TEST_END, 1},
	        {of_base ? FIGURE_MAGNITUDE_LESS_BASE_END : FIGURE_MAGNITUDE_LESS_TEST_END, 1}};
	const struct terms of[] = {{&columns[0], 1}, {&columns[1], 1}};
	struct estimate drawn[ARRAY_LEN(columns)];
	if (end == END_TOKEN_ALIKE) {
		return;
	}
	clusters_estimate_all(c, of, ARRAY_LEN(columns), drawn);
	ret[FIGURE_LENGTH_BIAS] =
	        value_of(c, seeds, FIGURE_LENGTH_BIAS, columns[0].figure, &drawn[0]);
	ret[FIGURE_LENGTH_MAGNITUDE] =
	        value_of(c, seeds, FIGURE_LENGTH_MAGNITUDE, columns[1].figure, &drawn[1]);
}
