#include "analyzer/fold/verdict.h"

#include <math.h>

#include "analyzer/compare/tokens/flips.h"
#include "base/enum_names.h"

#define PER_TOKENS 1000.0

ENUM_NAMES(verdict_word_name, enum verdict_word, "SAME", "DIFFERENT", "UNCLEAR");

ENUM_NAMES(verdict_floor_name, enum verdict_floor, "measured", "expected", "unknown", "self");

/* Comparisons with NaN are false. */
enum verdict_word verdict_decide(const struct verdict_figure *deciding, bool proven)
{
	const struct interval *ci = &deciding->over.ci;
	if (proven || ci->low > deciding->least_effect) {
		return VERDICT_DIFFERENT;
	}
	return ci->high < deciding->least_effect ? VERDICT_SAME : VERDICT_UNCLEAR;
}

enum verdict_word verdict_join(enum verdict_word a, enum verdict_word b)
{
	bool different = a == VERDICT_DIFFERENT || b == VERDICT_DIFFERENT;
	return different ? VERDICT_DIFFERENT : a == b ? a : VERDICT_UNCLEAR;
}

/* Whether one side's own answers, lists and scores show the cause without a comparison with the
 * other side. */
static bool is_within_one_side(const struct analysis_group *g, const struct cause *c)
{
	bool one_side = c->side == CAUSE_OF_BASE || c->side == CAUSE_OF_TEST;
	bool own = c->side_from == SIDE_FROM_OWN_ANSWERS && (c->by_draws || c->greedy_n > 0);
	return one_side && (own || (c->by_scores && g->is_floor));
}

static const struct cause *proven_cause(const struct analysis_group *g)
{
	for (size_t i = 0; i < g->found.n; i++) {
		if (is_within_one_side(g, &g->found.items[i])) {
			return &g->found.items[i];
		}
	}
	return NULL;
}

/* The expected floor: the share of answers that the numeric noise between the two sides would
 * change. */
static double expected_share(const struct analysis_group *g)
{
	const struct pair_sums *t = &g->sums[DECODING_GREEDY];
	double answers = (double)(t->survival.events.n + t->survival.censored.n);
	double share = answers > 0 ? flips_expected(&t->gaps, g->sigma) / answers : NAN;
	return share > 1 ? 1 : share;
}

static double expected_hazard(const struct analysis_group *g)
{
	const struct pair_sums *t = &g->sums[DECODING_GREEDY];
	double tokens = pair_sums_total(t, FIGURE_HAZARD).whole;
	return tokens > 0 ? PER_TOKENS * flips_expected(&t->gaps, g->sigma) / tokens : NAN;
}

static void take_off_expected(struct verdict_figure *f, double expected, double most)
{
	struct interval *ci = &f->over.ci;
	f->from = isnan(expected) ? VERDICT_FLOOR_UNKNOWN : VERDICT_FLOOR_EXPECTED;
	f->floor = expected;
	f->over.value = f->value.value - expected;
	*ci = f->value.ci;
	if (isnan(expected)) {
		ci->low -= most;
	} else {
		ci->low -= fmin(most, VERDICT_EXPECTED_FACTOR * expected);
		ci->high -= expected / VERDICT_EXPECTED_FACTOR;
	}
}

static struct interval scaled(const struct interval *i, double scale)
{
	return (struct interval){scale * i->low, scale * i->high};
}

/* The mean of the measured floors; of a range their upper end, which the lower excess is over. The
 * excess may be of fewer pairs than the figure: those with a floor. */
static double measured_floor(const struct excess_verdict *v)
{
	const struct estimate *by = v->is_range ? v->by_most : v->by;
	double base = by[EXCESS_OF_BASE].value, test = by[EXCESS_OF_TEST].value;
	return isnan(base) ? test : isnan(test) ? base : (base + test) / 2;
}

static void take_off_measured(
        struct verdict_figure *f, const struct excess_verdict *v, double scale)
{
	f->from = VERDICT_FLOOR_MEASURED;
	f->floor = scale * measured_floor(v);
	f->over.value = scale * v->excess.value;
	f->over.ci = scaled(&v->excess.ci, scale);
	if (v->is_range) {
		const struct figure_value most = {
		        .value = scale * v->excess_most.value,
		        .ci = scaled(&v->excess_most.ci, scale),
		};
		figure_set_most(&f->over, &most);
	}
}

static void read_figure(const struct analysis_group *g, enum figure figure, enum excess_figure of,
        double expected, struct verdict_figure *ret)
{
	const struct excess_verdict *v = &g->excesses[of];
	double scale = of == EXCESS_HAZARD ? PER_TOKENS : 1;
	*ret = (struct verdict_figure){
	        .value = g->values[DECODING_GREEDY][figure],
	        .answers = (double)g->sums[DECODING_GREEDY].pairs,
	        .floor = NAN,
	        .over = {.value = NAN, .ci = {NAN, NAN}},
	        .least_effect = scale * v->least,
	};
	if (!group_has(g, DECODING_GREEDY)) {
		ret->value.value = NAN;
		ret->value.ci = ret->over.ci;
		ret->from = VERDICT_FLOOR_UNKNOWN;
	} else if (g->is_floor) {
		ret->from = VERDICT_FLOOR_SELF;
		ret->floor = 0;
		ret->over = ret->value;
	} else if (excess_ground(&g->excess) != EXCESS_GROUND_NONE && !isnan(v->excess.value)) {
		take_off_measured(ret, v, scale);
	} else {
		take_off_expected(ret, expected, scale);
	}
}

/* The half-width of the interval shrinks with the square root of the number of answers. Without any
 * event its end is 1 - 0.05^(1/n) (mid-P). The possible error of an expected floor does not shrink. */
double verdict_needed(const struct verdict_figure *f, double n)
{
	bool doubtful = f->from == VERDICT_FLOOR_EXPECTED;
	const struct interval *ci = &f->over.ci;
	double low = f->over.value, high = f->over.value;
	if (doubtful) {
		low -= (VERDICT_EXPECTED_FACTOR - 1) * f->floor;
		high += (1 - 1 / VERDICT_EXPECTED_FACTOR) * f->floor;
	}
	double room = low > f->least_effect    ? (low - f->least_effect) / (low - ci->low)
	              : high < f->least_effect ? (f->least_effect - high) / (ci->high - high)
	                                       : NAN;
	bool no_event = f->value.value == 0 && f->over.value == 0 && ci->high < 1;
	double shrink =
	        no_event ? log1p(high - f->least_effect) / log1p(high - ci->high) : room * room;
	return room > 0 ? ceil(n / shrink) : NAN;
}

static void read_k3(const struct analysis_group *g, struct verdict_figure *ret)
{
	const struct score_excess *e = &g->scores.excess;
	*ret = (struct verdict_figure){
	        .value = e->k3,
	        .answers = (double)e->answers,
	        .floor = e->floor,
	        .from = VERDICT_FLOOR_UNKNOWN,
	        /* If the floor is unknown, the excess over it may be anything from 0 to k3. */
	        .over = {.value = NAN, .ci = {isnan(e->k3.ci.low) ? NAN : 0, e->k3.ci.high}},
	        .least_effect = g->least_effects ? g->least_effects[LEAST_K3]
	                                         : least_effect_default(LEAST_K3),
	};
	if (g->is_floor) {
		ret->from = VERDICT_FLOOR_SELF;
		ret->floor = 0;
		ret->over = e->k3;
	} else if (!isnan(e->floor)) {
		ret->from = VERDICT_FLOOR_MEASURED;
		ret->over = (struct figure_value){.value = e->over.value, .ci = e->over.ci};
	}
}

static void read_scored_top(const struct analysis_group *g, struct verdict_figure *ret)
{
	*ret = (struct verdict_figure){
	        .value = g->scores.excess.same_top,
	        .answers = (double)g->scores.excess.answers,
	        .from = VERDICT_FLOOR_UNKNOWN,
	        .floor = NAN,
	        .over = {.value = NAN, .ci = {NAN, NAN}},
	        .least_effect = NAN,
	};
}

static bool are_few(const struct verdict_figure *k3)
{
	return k3->value.clusters < VERDICT_SCORE_CLUSTERS;
}

static enum verdict_word word_of(const struct verdict *v, enum verdict_figure_kind kind)
{
	const struct verdict_figure *f = &v->figures[kind];
	enum verdict_word word = verdict_decide(f, false);
	return kind == VERDICT_K3 && word == VERDICT_SAME && are_few(f) ? VERDICT_UNCLEAR : word;
}

/* Joins the verdicts of two figures. The verdict counts as the greedy answers' unless k3 alone
 * led to it. */
static void decide(struct verdict *v)
{
	bool greedy = verdict_has(v, VERDICT_DIFFER), scored = verdict_has(v, VERDICT_K3);
	enum verdict_word by_differ = greedy ? word_of(v, VERDICT_DIFFER) : VERDICT_UNCLEAR;
	enum verdict_word by_k3 = scored ? word_of(v, VERDICT_K3) : by_differ;
	v->word = greedy ? verdict_join(by_differ, by_k3) : by_k3;
	v->decided_by = scored && (!greedy || by_differ != v->word) ? VERDICT_K3 : VERDICT_DIFFER;
	if (v->proven) {
		v->word = VERDICT_DIFFERENT;
	}
}

static double answers_needed(const struct verdict *v)
{
	const struct verdict_figure *f = &v->figures[v->decided_by];
	double n = verdict_needed(f, f->answers);
	if (v->decided_by == VERDICT_K3 && are_few(f) && f->value.clusters > 0) {
		double least = VERDICT_SCORE_CLUSTERS * f->answers / (double)f->value.clusters;
		n = f->over.ci.high < f->least_effect ? least : isnan(n) ? n : fmax(n, least);
	}
	return n;
}

void verdict_of_group(const struct analysis_group *g, struct verdict *ret)
{
	struct verdict v = {.needed = NAN, .proven = proven_cause(g)};
	read_figure(g, FIGURE_DIFFER, EXCESS_DIFFER, expected_share(g), &v.figures[VERDICT_DIFFER]);
	read_figure(g, FIGURE_ANSWER_CHANGED, EXCESS_ANSWER_CHANGED, NAN,
	        &v.figures[VERDICT_ANSWER_CHANGED]);
	read_figure(g, FIGURE_HAZARD, EXCESS_HAZARD, expected_hazard(g),
	        &v.figures[VERDICT_FIRST_DIFFERENCES]);
	read_k3(g, &v.figures[VERDICT_K3]);
	read_scored_top(g, &v.figures[VERDICT_SCORED_TOP]);
	decide(&v);
	if (v.word == VERDICT_UNCLEAR) {
		v.needed = answers_needed(&v);
	}
	*ret = v;
}
