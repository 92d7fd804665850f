#include "analyzer/fold/verdict.h"

#include <math.h>

#include "base/check.h"

#define PER_TOKENS 1000.0

const char *verdict_word_name(enum verdict_word w)
{
	static const char *const NAMES[] = {"SAME", "DIFFERENT", "UNCLEAR"};
	return NAMES[w];
}

const char *verdict_floor_name(enum verdict_floor f)
{
	static const char *const NAMES[] = {"measured", "expected", "unknown", "self"};
	return NAMES[f];
}

/* Comparisons with NaN are false. */
enum verdict_word verdict_decide(const struct verdict_figure *deciding, bool proven)
{
	const struct interval *ci = &deciding->over.ci;
	if (proven || ci->low > deciding->least_effect) {
		return VERDICT_DIFFERENT;
	}
	return ci->high < deciding->least_effect ? VERDICT_SAME : VERDICT_UNCLEAR;
}

/* Does one side's own answers and lists show the cause, without comparison with the other's? */
static bool is_within_one_side(const struct cause *c)
{
	const uint32_t against = UINT32_C(1) << TRACE_BASE_AGAINST | UINT32_C(1)
	                                                                     << TRACE_TEST_AGAINST;
	bool one_side = c->side == CAUSE_OF_BASE || c->side == CAUSE_OF_TEST;
	bool chose = c->kind == CAUSE_PENALTY || c->kind == CAUSE_SAMPLING;
	return one_side && c->greedy_n > 0 &&
	       ((chose && c->traces & against) || c->kind == CAUSE_CROSSTALK);
}

static const struct cause *proven_cause(const struct cause_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		if (is_within_one_side(&l->items[i])) {
			return &l->items[i];
		}
	}
	return NULL;
}

/* The floor as a share of answers that the numeric noise between the two would change. */
static double expected_share(const struct analysis_group *g)
{
	const struct tally *t = &g->tallies[DECODING_GREEDY];
	double answers = (double)(t->survival.parted.n + t->survival.whole.n);
	double share = answers > 0 ? flips_expected(&t->gaps, g->sigma) / answers : NAN;
	return share > 1 ? 1 : share;
}

static double expected_hazard(const struct analysis_group *g)
{
	const struct tally *t = &g->tallies[DECODING_GREEDY];
	double tokens = (double)g->by[DECODING_GREEDY].at_risk;
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

static void take_off_measured(
        struct verdict_figure *f, const struct excess_verdict *v, double scale)
{
	f->from = VERDICT_FLOOR_MEASURED;
	f->floor = scale * (v->by[EXCESS_BETWEEN].value - v->excess.value);
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

/* Half an interval shrinks with the root of the number of answers; what its middle may be off by
 * does not. */
static double needed(const struct verdict_figure *f, double n)
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
	return room > 0 ? ceil(n / (room * room)) : NAN;
}

void verdict_of_group(const struct analysis_group *g, struct verdict *ret)
{
	struct verdict v = {.needed = NAN, .proven = proven_cause(&g->found)};
	read_figure(g, FIGURE_DIFFER, EXCESS_DIFFER, expected_share(g), &v.figures[VERDICT_DIFFER]);
	read_figure(g, FIGURE_ANSWER_CHANGED, EXCESS_ANSWER_CHANGED, NAN,
	        &v.figures[VERDICT_ANSWER_CHANGED]);
	read_figure(g, FIGURE_HAZARD, EXCESS_HAZARD, expected_hazard(g),
	        &v.figures[VERDICT_FIRST_DIFFERENCES]);
	v.word = verdict_decide(&v.figures[VERDICT_DIFFER], v.proven);
	if (v.word == VERDICT_UNCLEAR) {
		v.needed = needed(&v.figures[VERDICT_DIFFER], v.figures[VERDICT_DIFFER].value.n);
	}
	*ret = v;
}
