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

static struct interval scaled(struct interval i, double by)
{
	return (struct interval){i.low * by, i.high * by};
}

static const struct rate_term SHIFT[] = {
        {FIGURE_FIXED, FIGURE_FIXED, 100}, {FIGURE_BROKE, FIGURE_BROKE, -100}};

static struct figure_value value_of(
        const struct clusters *c, enum figure f, const struct estimate *drawn)
{
	struct estimate e = *drawn;
	double part, whole;
	clusters_total(c, f, &part, &whole);
	struct figure_value v = {whole, e.value, e.ci, e.clusters};
	switch (FIGURES[f].kind) {
	case FIGURE_OF_RATE:
		clusters_estimate_rate(c, f, &e);
		v.ci = e.ci;
		break;
	case FIGURE_OF_SHARES:
		clusters_estimate_share(c, f, &e);
		v.ci = e.ci;
		break;
	case FIGURE_OF_SQUARE:
		v.value = sqrt(v.value);
		v.ci = (struct interval){sqrt(fmax(0, v.ci.low)), sqrt(fmax(0, v.ci.high))};
		break;
	case FIGURE_OF_EVENTS:
		clusters_estimate_events(c, f, FIGURE_DIFFER, &e);
		v.value *= 1000;
		v.ci = scaled(e.ci, 1000);
		break;
	case FIGURE_OF_SHIFT:
		clusters_estimate_rates(c, SHIFT, ARRAY_LEN(SHIFT), &e);
		v.ci = e.ci;
		break;
	case FIGURE_OF_MEAN:
		break;
	}
	if (isnan(e.ci.low)) {
		v.ci = (struct interval){NAN, NAN};
	}
	return v;
}

void figures_estimate(const struct clusters *c, struct figure_value *ret)
{
	struct estimate drawn[N_FIGURE_COLUMNS];
	clusters_estimate_each(c, drawn);
	for (size_t f = 0; f < N_FIGURES; f++) {
		ret[f] = value_of(c, (enum figure)f, &drawn[f]);
	}
}
