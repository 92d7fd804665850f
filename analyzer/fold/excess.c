#include "analyzer/fold/excess.h"

#include <math.h>

#include "analyzer/fold/power.h"
#include "analyzer/stats/distribution.h"
#include "base/check.h"
#include "base/multiple_testing.h"
#include "base/enum_names.h"

/* Index of the answers whose meaning changed or is undecided: the upper end of
 * EXCESS_ANSWER_CHANGED. */
#define MAY_CHANGE N_EXCESSES
#define COLUMNS ((size_t)(N_EXCESSES + 1) * N_EXCESS_PAIRS)

static size_t column_of(size_t f, enum excess_pair pair)
{
	return f * N_EXCESS_PAIRS + pair;
}

ENUM_NAMES(excess_name, enum excess_figure, "differ", "answer_changed", "hazard", "top_differs");

ENUM_NAMES(excess_ground_name, enum excess_ground, "none", "base", "test", "both");

void excess_add(struct excess *b, const uint8_t cluster[CLUSTERS_KEY_SIZE], enum excess_pair pair,
        const struct pair_facts *facts)
{
	struct clusters *c = clusters_of(&b->clusters, COLUMNS);
	uint32_t row = clusters_row(c, cluster);
	b->pairs[pair]++;
	clusters_add(c, row, column_of(EXCESS_DIFFER, pair), facts->differ, 1);
	bool may = facts->changed || !facts->decided;
	clusters_add(c, row, column_of(EXCESS_ANSWER_CHANGED, pair), facts->changed, 1);
	clusters_add(c, row, column_of(MAY_CHANGE, pair), may, 1);
	if (facts->at_risk > 0) {
		clusters_add(c, row, column_of(EXCESS_HAZARD, pair), facts->tokens_differ,
		        (double)facts->at_risk);
	}
	if (facts->tops > 0) {
		clusters_add(c, row, column_of(EXCESS_TOP_DIFFERS, pair),
		        (double)(facts->tops - facts->tops_equal), (double)facts->tops);
	}
}

void excess_finish(struct excess *b)
{
	clusters_destroy(b->clusters);
	*b = (struct excess){0};
}

double excess_whole(const struct excess *b, enum excess_figure f, enum excess_pair of)
{
	return clusters_total(b->clusters, column_of(f, of)).whole;
}

enum excess_ground excess_ground(const struct excess *b)
{
	bool base = b->pairs[EXCESS_OF_BASE] > 0, test = b->pairs[EXCESS_OF_TEST] > 0;
	return base && test ? EXCESS_GROUND_BOTH
	       : base       ? EXCESS_GROUND_BASE
	       : test       ? EXCESS_GROUND_TEST
	                    : EXCESS_GROUND_NONE;
}

static struct rate_term term_of(size_t f, enum excess_pair pair, double weight)
{
	return (struct rate_term){column_of(f, pair), column_of(EXCESS_DIFFER, pair), weight};
}

/* The two ends of an excess that is a range. The lower end is the trial's lower end minus the
 * floors' upper end; the upper end is the reverse. */
enum end { AT_LEAST, AT_MOST };

static size_t terms_of(
        enum excess_ground ground, enum excess_figure f, enum end end, struct rate_term terms[3])
{
	size_t n = 0, trial = f, floor = f;
	double half = ground == EXCESS_GROUND_BOTH ? -0.5 : -1;
	if (f == EXCESS_ANSWER_CHANGED) {
		trial = end == AT_LEAST ? (size_t)f : MAY_CHANGE;
		floor = end == AT_LEAST ? MAY_CHANGE : (size_t)f;
	}
	terms[n++] = term_of(trial, EXCESS_BETWEEN, 1);
	if (ground == EXCESS_GROUND_BASE || ground == EXCESS_GROUND_BOTH) {
		terms[n++] = term_of(floor, EXCESS_OF_BASE, half);
	}
	if (ground == EXCESS_GROUND_TEST || ground == EXCESS_GROUND_BOTH) {
		terms[n++] = term_of(floor, EXCESS_OF_TEST, half);
	}
	return n;
}

static double least_error(const struct excess *b, enum excess_ground ground, enum excess_figure f);

/* The p value by Student's distribution. The error is at least what floors of that size leave.
 * The p value is at least the chance that all events fell on the same side although either side
 * was equally likely: few events cannot show more. */
static double p_of(const struct excess *b, enum excess_figure f, const struct estimate *excess)
{
	double events = clusters_total(b->clusters, column_of(f, EXCESS_BETWEEN)).part;
	if (isnan(excess->value) || isnan(excess->error)) {
		return NAN;
	}
	if (f == EXCESS_ANSWER_CHANGED && excess->value <= 0) {
		return 1; /* at least nothing is left */
	}
	double least = exp2(1 - fmin(events, (double)excess->clusters));
	double error = fmax(excess->error, least_error(b, excess_ground(b), f));
	double z = error > 0 ? fabs(excess->value) / error : excess->value != 0 ? INFINITY : 0;
	return fmin(1, fmax(least, 2 * distribution_student_below(-z, excess->freedom)));
}

const char *least_effect_name(size_t f)
{
	return f == LEAST_K3 ? "k3" : excess_name((enum excess_figure)f);
}

double least_effect_default(size_t f)
{
	static const double LEAST_EFFECTS[N_LEAST_EFFECTS] = {
	        [EXCESS_DIFFER] = 0.02,
	        [EXCESS_ANSWER_CHANGED] = 0.02,
	        [EXCESS_HAZARD] = 0.001,
	        [EXCESS_TOP_DIFFERS] = 0.002,
	        [LEAST_K3] = 0.005,
	};
	expect(f < N_LEAST_EFFECTS);
	return LEAST_EFFECTS[f];
}

/* The least standard error. If no event was seen, the estimated error is 0, although another
 * capture of the same size could contain events. */
static double least_error(const struct excess *b, enum excess_ground ground, enum excess_figure f)
{
	struct rate_term terms[3];
	double variance = 0;
	for (size_t i = 0, n = terms_of(ground, f, AT_LEAST, terms); i < n; i++) {
		struct ratio r = clusters_total(b->clusters, terms[i].figure);
		double share = (r.part + 0.5) / (r.whole + 1);
		variance += terms[i].weight * terms[i].weight * share * (1 - share) / r.whole;
	}
	return sqrt(variance);
}

static double needed(const struct excess *b, enum excess_ground ground, enum excess_figure f,
        const struct estimate *excess, double least)
{
	if (ground == EXCESS_GROUND_NONE || isnan(excess->value)) {
		return NAN;
	}
	double error = fmax(least_error(b, ground, f), isnan(excess->error) ? 0 : excess->error);
	return power_needed(
	        (double)b->pairs[EXCESS_BETWEEN], error, least, EXCESS_ALPHA / N_EXCESSES);
}

static const struct estimate NONE = {NAN, {NAN, NAN}, 0, NAN, NAN, NAN};

/* Estimates one end of a range, or the figure itself: for each kind of pairs
 * (by[N_EXCESS_PAIRS]) and for the excess. */
static void estimate(const struct excess *b, enum excess_figure f, enum end end,
        struct estimate *by, struct estimate *excess)
{
	enum excess_ground ground = excess_ground(b);
	struct rate_term terms[3];
	for (size_t i = 0; i < N_EXCESS_PAIRS; i++) {
		terms[0] = term_of(end == AT_MOST ? MAY_CHANGE : (size_t)f, (enum excess_pair)i, 1);
		clusters_estimate_rates(b->clusters, terms, 1, &by[i]);
	}
	*excess = NONE;
	if (ground != EXCESS_GROUND_NONE) {
		size_t n = terms_of(ground, f, end, terms);
		clusters_estimate_rates(b->clusters, terms, n, excess);
	}
}

void excess_judge(const struct excess *b, const double *least, struct excess_verdict *ret)
{
	enum excess_ground ground = excess_ground(b);
	double p[N_EXCESSES];
	for (enum excess_figure f = 0; f < N_EXCESSES; f++) {
		ret[f] = (struct excess_verdict){
		        .by_most = {NONE, NONE, NONE},
		        .excess_most = NONE,
		        .least = least ? least[f] : least_effect_default(f),
		};
		estimate(b, f, AT_LEAST, ret[f].by, &ret[f].excess);
		ret[f].is_range = f == EXCESS_ANSWER_CHANGED && b->clusters;
		if (ret[f].is_range) {
			estimate(b, f, AT_MOST, ret[f].by_most, &ret[f].excess_most);
		}
		ret[f].needed = needed(b, ground, f, &ret[f].excess, ret[f].least);
		p[f] = p_of(b, f, &ret[f].excess);
	}
	multiple_testing_holm(p, N_EXCESSES);
	for (size_t f = 0; f < N_EXCESSES; f++) {
		ret[f].p = p[f];
		/* A floor with hardly any events makes the interval wider. */
		ret[f].alarm = p[f] < EXCESS_ALPHA && ret[f].excess.ci.low > 0;
	}
}

enum excess_pair excess_noisy_side(const struct excess *b, const struct excess_verdict *v)
{
	const struct estimate *by = v[EXCESS_DIFFER].by;
	enum excess_pair more = by[EXCESS_OF_BASE].value > by[EXCESS_OF_TEST].value
	                                ? EXCESS_OF_BASE
	                                : EXCESS_OF_TEST;
	bool is_noisy = excess_ground(b) == EXCESS_GROUND_BOTH && by[more].value > 0 &&
	                by[more].value >= by[EXCESS_BETWEEN].value;
	return is_noisy ? more : EXCESS_BETWEEN;
}

ENUM_NAMES(excess_finding_name, enum excess_finding, "none", "alarm", "within", "undecided");

enum excess_finding excess_finding(const struct excess *b, const struct excess_verdict *v)
{
	const struct estimate *excess = &v[EXCESS_DIFFER].excess;
	if (excess_ground(b) == EXCESS_GROUND_NONE) {
		return EXCESS_UNGROUNDED;
	}
	for (size_t f = 0; f < N_EXCESSES; f++) {
		if (v[f].alarm) {
			return EXCESS_ALARMED;
		}
	}
	/* NaN is above everything. */
	return excess->ci.high <= v[EXCESS_DIFFER].least ? EXCESS_WITHIN : EXCESS_UNDECIDED;
}
