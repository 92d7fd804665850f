#include "analyzer/figure.h"

#include <math.h>

#include "base/check.h"

static const struct figure_info FIGURES[N_FIGURES] = {
        [FIGURE_DIFFER] = {"differ", FIGURE_OF_RATE, false},
        [FIGURE_TEXT_DIFFERS] = {"text_differs", FIGURE_OF_RATE, false},
        [FIGURE_ANSWER_CHANGED] = {"answer_changed", FIGURE_OF_RATE, false},
        [FIGURE_UNDECIDED] = {"undecided", FIGURE_OF_RATE, false},
        [FIGURE_SIMILARITY] = {"similarity", FIGURE_OF_SHARES, false},
        [FIGURE_FINISH_DIFFERS] = {"finish_differs", FIGURE_OF_RATE, false},
        [FIGURE_DIVERGENCE_INDEX] = {"divergence_index", FIGURE_OF_SHARES, false},
        [FIGURE_LENGTH_BIAS] = {"length_bias", FIGURE_OF_MEAN, false},
        [FIGURE_LENGTH_MAGNITUDE] = {"length_magnitude", FIGURE_OF_MEAN, false},
        [FIGURE_BASE_SCORE] = {"base_score", FIGURE_OF_RATE, false},
        [FIGURE_TEST_SCORE] = {"test_score", FIGURE_OF_RATE, false},
        [FIGURE_SCORE_SHIFT] = {"score_shift", FIGURE_OF_SHIFT, false},
        [FIGURE_HAZARD] = {"hazard", FIGURE_OF_EVENTS, true},
        [FIGURE_SAME_TOP] = {"same_top", FIGURE_OF_RATE, true},
        [FIGURE_TOP1_RMSE] = {"top1_logprob_rmse", FIGURE_OF_SQUARE, true},
        [FIGURE_DELTA_LP] = {"delta_lp", FIGURE_OF_MEAN, true},
        [FIGURE_DELTA_LP_RMS] = {"delta_lp_rms", FIGURE_OF_SQUARE, true},
        [FIGURE_DELTA_P_RMS] = {"delta_p_rms", FIGURE_OF_SQUARE, true},
        [FIGURE_JACCARD_5] = {"jaccard_5", FIGURE_OF_SHARES, true},
        [FIGURE_JACCARD_K] = {"jaccard_k", FIGURE_OF_SHARES, true},
        [FIGURE_RANK] = {"rank", FIGURE_OF_MEAN, true},
        [FIGURE_K3] = {"k3_score", FIGURE_OF_MEAN, true},
        [FIGURE_KL_LOW] = {"kl_low", FIGURE_OF_MEAN, true},
        [FIGURE_TV_LOW] = {"tv_low", FIGURE_OF_MEAN, true},
        [FIGURE_TV_HIGH] = {"tv_high", FIGURE_OF_MEAN, true},
        [FIGURE_JS_LOW] = {"js_low", FIGURE_OF_MEAN, true},
        [FIGURE_JS_HIGH] = {"js_high", FIGURE_OF_MEAN, true},
        [FIGURE_HIDDEN] = {"missing_mass", FIGURE_OF_MEAN, true},
        [FIGURE_KL_RENORMALISED] = {"kl_renormalised", FIGURE_OF_MEAN, true},
};

const struct figure_info *figure_info(enum figure f)
{
	expect(f < N_FIGURES);
	return &FIGURES[f];
}

static const struct rate_term SHIFT[] = {
        {FIGURE_FIXED, FIGURE_FIXED, 100}, {FIGURE_BROKE, FIGURE_BROKE, -100}};

/* As sums over clusters have it, before a figure is scaled. */
static struct estimate estimate(
        const struct clusters *c, enum figure f, const struct estimate *drawn)
{
	struct estimate e = *drawn;
	switch (FIGURES[f].kind) {
	case FIGURE_OF_RATE:
		clusters_estimate_rate(c, f, &e);
		break;
	case FIGURE_OF_SHARES:
		clusters_estimate_share(c, f, &e);
		break;
	case FIGURE_OF_EVENTS:
		clusters_estimate_events(c, f, FIGURE_DIFFER, &e);
		break;
	case FIGURE_OF_SHIFT:
		clusters_estimate_rates(c, SHIFT, ARRAY_LEN(SHIFT), &e);
		break;
	case FIGURE_OF_MEAN:
	case FIGURE_OF_SQUARE:
		break;
	}
	return e;
}

static bool is_share(enum figure_kind k)
{
	return k == FIGURE_OF_RATE || k == FIGURE_OF_SHARES || k == FIGURE_OF_EVENTS;
}

/* What other seeds could have made of it, beside other prompts. */
static void widen(struct estimate *e, enum figure_kind kind, double reach)
{
	e->ci.low = e->value - hypot(e->value - e->ci.low, reach);
	e->ci.high = e->value + hypot(e->ci.high - e->value, reach);
	if (is_share(kind)) {
		e->ci.low = fmax(0, e->ci.low);
		e->ci.high = fmin(1, e->ci.high);
	}
}

static double root(double square)
{
	return isnan(square) ? NAN : sqrt(fmax(0, square));
}

/* by: what a small change of the sums' ratio is worth. */
static void scale(struct figure_value *v, enum figure_kind kind)
{
	double by = 1;
	if (kind == FIGURE_OF_SQUARE) {
		v->value = sqrt(v->value);
		v->ci = (struct interval){root(v->ci.low), root(v->ci.high)};
		by = 1 / (2 * v->value);
	} else if (kind == FIGURE_OF_EVENTS) {
		by = 1000;
		v->value *= by;
		v->ci = (struct interval){v->ci.low * by, v->ci.high * by};
	}
	v->of_prompts *= by;
	v->of_seeds *= by;
}

static struct figure_value value_of(const struct clusters *c, const struct crossing *seeds,
        enum figure f, const struct estimate *drawn)
{
	enum figure_kind kind = FIGURES[f].kind;
	struct estimate e = estimate(c, f, drawn);
	struct figure_value v = {.value = drawn->value,
	        .clusters = drawn->clusters,
	        .of_prompts = NAN,
	        .of_seeds = NAN};
	struct crossing_part part;
	double sum;
	clusters_total(c, f, &sum, &v.n);
	if (!isnan(e.ci.low) && crossing_estimate(seeds, c, f, &part)) {
		widen(&e, kind, part.reach);
		v.seeds = part.seeds;
		v.of_prompts = drawn->error;
		v.of_seeds = part.error;
	}
	v.ci = isnan(e.ci.low) ? (struct interval){NAN, NAN} : e.ci;
	scale(&v, kind);
	return v;
}

void figures_estimate(
        const struct clusters *c, const struct crossing *seeds, struct figure_value *ret)
{
	struct estimate drawn[N_FIGURE_COLUMNS];
	clusters_estimate_each(c, drawn);
	for (size_t f = 0; f < N_FIGURES; f++) {
		ret[f] = value_of(c, seeds, (enum figure)f, &drawn[f]);
	}
}
