#include "analyzer/fold/draws_tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/fold/draws.h"
#include "analyzer/fold/draws_likelihood.h"
#include "analyzer/stats/likelihood.h"
#include "analyzer/stats/distribution.h"
#include "base/enum_names.h"
#include "base/mem.h"
#include "base/multiple_testing.h"

#define FITS 6.0 /* nats between two hypotheses about the lists */
/* nats by which a kind of penalty, or of cut, must be more likely than the two others. A wrong kind
 * is as much more likely than the right one in at most a share of exp(-KIND_APART) of all captures
 * (Royall 1997) */
#define KIND_APART log(2 / DRAWS_ALPHA)
#define RANK_VARIANCE 5.0 /* least variance for the normal approximation */
#define FEW_DRAWS 200
#define ROUNDING 1e-9 /* of the logarithm of a ratio */
/* for `outside` of struct draws_calibration */
#define OUTSIDE_LEAST 5
#define OUTSIDE_SHARE 0.1
#define SHARE_FILTERED 0.2 /* lists keyed by text lack tokens of equal text; these are few */
/* Usual cut-offs; the report says how many draws are needed to find them. */
#define USUAL_TOP_P 0.95
#define USUAL_TOP_K 10
#define USUAL_MIN_P 0.05

ENUM_NAMES(draws_finding_name, enum draws_finding, "temperature", "top_k", "top_p", "min_p",
        "penalty", "calibration", "repeats", "filtered_lists");

enum test { TEST_TEMPERATURE, TEST_CUT, TEST_PENALTY, TEST_RANKS, TEST_REPEATS, N_TESTS };

static double p_of_temperature(const struct draws_likelihood *l)
{
	double at, near, head_at;
	double best = draws_likelihood_ratio(l, -INFINITY, INFINITY, &at);
	double least = log1p(DRAWS_RATIO_LEAST);
	double head = draws_likelihood_head(l, -INFINITY, INFINITY, &head_at);
	double head_near = draws_likelihood_head(l, -least, least, &near);
	double gain = best - draws_likelihood_ratio(l, -least, least, &near);
	bool agrees = head - head_near >= LIKELIHOOD_DROP && (head_at > 0) == (at > 0);
	return agrees ? likelihood_p(gain) : 1;
}

/* Whether nothing shows if the lists are before or after temperature. */
static bool lists_are_undecided(const struct draws_likelihood *l, const struct draws_findings *f)
{
	return !l->lists_after && !l->lists_raw && f->lists != LOGPROBS_RAW;
}

static void test_temperature(struct draws_likelihood *l, struct draws_findings *f)
{
	double *p = &f->tests[DRAWS_FINDING_TEMPERATURE].p;
	*p = p_of_temperature(l);
	if (lists_are_undecided(l, f)) {
		/* The temperature is wrong only if neither assumption explains the draws. */
		draws_likelihood_assume(l, true);
		*p = fmax(*p, p_of_temperature(l));
		draws_likelihood_assume(l, false);
	}
	f->temperature.lists_after = l->lists_after;
	f->temperature.asked = l->n == 1 ? l->cells[0].temperature : NAN;
}

/* Estimates the temperature together with the other findings: a cut or a penalty is taken into
 * account only if one was found. */
static void estimate_temperature(
        const struct draws_likelihood *l, bool cut, bool penalty, struct draws_temperature *ret)
{
	double at;
	struct interval ci = draws_likelihood_interval(l, cut, penalty, &at);
	bool open_low = ci.high >= draws_log_ratio(DRAWS_RATIOS - 1) - ROUNDING;
	bool open_high = ci.low <= draws_log_ratio(0) + ROUNDING;
	ret->ratio = exp(-at);
	ret->ci = (struct interval){
	        open_low ? 0 : exp(-ci.high), open_high ? INFINITY : exp(-ci.low)};
}

static double test_penalty(const struct draws_likelihood *l, struct draws_penalty_found *ret)
{
	double p = 1;
	ret->kind = N_DRAWS_PENALTIES;
	for (size_t k = 0; k < N_DRAWS_PENALTIES; k++) {
		enum draws_penalty kind = (enum draws_penalty)k;
		struct draws_shift *s = &ret->shifts[k];
		double near;
		s->likelihood = draws_likelihood_shift(l, kind, -INFINITY, INFINITY, &s->nats);
		s->ci = draws_likelihood_shift_interval(l, kind, s->nats);
		double gain = s->likelihood - draws_likelihood_shift(l, kind, -DRAWS_SHIFT_LEAST,
		                                      DRAWS_SHIFT_LEAST, &near);
		p = fmin(p, N_DRAWS_PENALTIES * likelihood_p(gain));
	}
	ret->shows = draws_likelihood_can_show_shift(l);
	return ret->shows ? p : 1;
}

/* The kind that is KIND_APART more likely than all others, or N_DRAWS_PENALTIES. */
static enum draws_penalty kind_of_penalty(const struct draws_penalty_found *p)
{
	double best = -INFINITY, second = -INFINITY;
	size_t kind = N_DRAWS_PENALTIES;
	for (size_t k = 0; k < N_DRAWS_PENALTIES; k++) {
		double likelihood = p->shifts[k].likelihood;
		second = fmax(second, fmin(best, likelihood));
		kind = likelihood > best ? k : kind;
		best = fmax(best, likelihood);
	}
	return best - second >= KIND_APART ? (enum draws_penalty)kind : N_DRAWS_PENALTIES;
}

const struct draws_shift *draws_penalty_shift(const struct draws_penalty_found *p)
{
	return &p->shifts[p->kind < N_DRAWS_PENALTIES ? p->kind : DRAWS_PRESENCE];
}

static enum draws_finding finding_of(enum draws_family f)
{
	return f == DRAWS_TOP_K                             ? DRAWS_FINDING_TOP_K
	       : f == DRAWS_TOP_P || f == DRAWS_TOP_P_AFTER ? DRAWS_FINDING_TOP_P
	                                                    : DRAWS_FINDING_MIN_P;
}

static void test_cuts(const struct draws_likelihood *l, struct draws_findings *ret)
{
	double free;
	double without = draws_likelihood_plain(l, &free);
	for (size_t k = 0; k < DRAWS_CUT_KINDS; k++) {
		ret->cuts[k] = (struct draws_cut_found){.at = NAN, .wider = NAN};
		ret->tests[DRAWS_FINDING_TOP_K + k].p = 1;
	}
	for (size_t c = 0; c < DRAWS_CUTS; c++) {
		enum draws_finding finding = finding_of(DRAWS_CUT[c].family);
		struct draws_cut_found *f = &ret->cuts[finding - DRAWS_FINDING_TOP_K];
		double at, gain;
		if (draws_likelihood_seen(l, c) > 0) {
			bool wider = isnan(f->wider) ||
			             (finding == DRAWS_FINDING_MIN_P ? DRAWS_CUT[c].at < f->wider
			                                             : DRAWS_CUT[c].at > f->wider);
			f->wider = wider ? DRAWS_CUT[c].at : f->wider;
			continue;
		}
		gain = draws_likelihood_cut(l, c, &at) - without;
		if (gain > f->gain) {
			f->gain = gain;
			f->at = DRAWS_CUT[c].at;
			f->after = DRAWS_CUT[c].family >= DRAWS_TOP_P_AFTER;
			f->expected = draws_likelihood_expected(l, c, at);
			ret->tests[finding].p = fmin(1, DRAWS_CUTS * exp(-gain));
		}
	}
}

/* Returns the most likely cut. Only that one is reported; what the others explain in addition is
 * unknown. */
static size_t best_cut(const struct draws_cut_found *cuts)
{
	size_t best = 0;
	for (size_t k = 1; k < DRAWS_CUT_KINDS; k++) {
		best = cuts[k].gain > cuts[best].gain ? k : best;
	}
	return best;
}

/* Whether the draws fit no other kind of cut about as well as the best one. */
static bool is_apart(const struct draws_cut_found *cuts, size_t best)
{
	bool is_separate = true;
	for (size_t k = 0; k < DRAWS_CUT_KINDS; k++) {
		is_separate &= k == best || cuts[best].gain - cuts[k].gain >= KIND_APART;
	}
	return is_separate;
}

static double test_ranks(
        const struct draws_likelihood *l, bool raw_lists, struct draws_calibration *ret)
{
	double most = 0, draws = 0;
	size_t tests = 0;
	draws_likelihood_ranks(l, raw_lists, ret);
	ret->off = ret->off_ci.low = ret->off_ci.high = NAN;
	for (size_t i = 0; i < DRAWS_RANKS; i++) {
		draws += (double)ret->seen[i];
	}
	for (size_t i = 0; i < DRAWS_RANKS; i++) {
		double far = fabs((double)ret->seen[i] - ret->expected[i]);
		double beyond = far - DRAWS_RANK_LEAST * draws;
		if (ret->sd[i] * ret->sd[i] < RANK_VARIANCE) {
			continue;
		}
		tests++;
		most = fmax(most, beyond / ret->sd[i]);
		if (!(far / draws <= ret->off)) {
			ret->off = far / draws;
			ret->off_ci.low = fmax(0, far - DISTRIBUTION_Z_95 * ret->sd[i]) / draws;
			ret->off_ci.high = (far + DISTRIBUTION_Z_95 * ret->sd[i]) / draws;
		}
	}
	return most > 0 ? fmin(1, 2 * (double)tests * distribution_normal_below(-most)) : 1;
}

/* Upper bound (Chernoff) of P(X >= n) for a Poisson count with mean m. */
static double poisson_above(uint64_t n, double m)
{
	double x = (double)n;
	return x > m && m > 0 ? exp(x - m - x * log(x / m)) : x > 0 && m <= 0 ? 0 : 1;
}

static double test_repeats(const struct draws_group *g, struct draws_repeats *ret)
{
	*ret = (struct draws_repeats){
	        .pairs = g->repeats_pairs,
	        .identical = g->repeats_identical,
	        .expected = exact_sum_value(&g->repeats_expected),
	};
	return poisson_above(ret->identical, ret->expected);
}

static void count(const struct draws_group *g, struct draws_findings *f)
{
	uint64_t chosen = 0, best = 0;
	for (size_t k = 0; k < g->n_cells; k++) {
		struct draws_counts counts;
		memcpy(&counts, g->cells[k].counts, sizeof(counts));
		best += counts.chosen[0];
		for (size_t i = 0; i < DRAWS_RANKS; i++) {
			chosen += counts.chosen[i];
		}
		f->tokens += counts.tokens;
		f->draws += counts.draws;
		f->filtered += counts.filtered;
	}
	f->longest = g->longest;
	f->never_samples = best == chosen;
	if (f->tokens >= FEW_DRAWS && (double)f->filtered > SHARE_FILTERED * (double)f->tokens) {
		f->tests[DRAWS_FINDING_FILTERED].state = DRAWS_NOT_AS_ASKED;
	}
}

/* What the lists contain. Evidence of filtering in the answers overrides the engine's stated
 * basis. If no basis is stated, or if a server flag may have changed it, the answers decide. */
static enum logprobs_basis lists_of(const struct draws_group *g, const struct draws_likelihood *l,
        const struct draws_findings *f)
{
	enum logprobs_basis stated = LOGPROBS_UNKNOWN;
	for (size_t k = 0; k < N_LOGPROBS_BASES; k++) {
		stated = g->lists == UINT32_C(1) << k ? (enum logprobs_basis)k : stated;
	}
	stated = stated == LOGPROBS_RAW_BY_DEFAULT ? LOGPROBS_UNKNOWN : stated;
	if (f->tests[DRAWS_FINDING_FILTERED].state == DRAWS_NOT_AS_ASKED) {
		return LOGPROBS_PROCESSED;
	}
	if (stated == LOGPROBS_UNKNOWN && l->lists_after) {
		return LOGPROBS_AFTER_TEMPERATURE;
	}
	return stated == LOGPROBS_UNKNOWN && l->lists_raw ? LOGPROBS_RAW : stated;
}

static void make_one(struct draws_group *g, double *p)
{
	struct draws_findings *f = &g->found;
	struct draws_likelihood l;
	*f = (struct draws_findings){0};
	for (size_t i = 0; i < N_DRAWS_FINDINGS; i++) {
		f->tests[i].needed = NAN;
	}
	count(g, f);
	draws_likelihood_init(&l, g, FITS);
	f->lists = lists_of(g, &l, f);
	test_temperature(&l, f);
	test_cuts(&l, f);
	p[TEST_TEMPERATURE] = f->tests[DRAWS_FINDING_TEMPERATURE].p;
	p[TEST_CUT] = f->tests[DRAWS_FINDING_TOP_K + best_cut(f->cuts)].p;
	p[TEST_PENALTY] = test_penalty(&l, &f->penalty);
	p[TEST_RANKS] = test_ranks(&l, !lists_are_undecided(&l, f), &f->calibration);
	double repeats = test_repeats(g, &f->repeats);
	p[TEST_REPEATS] = f->repeats.pairs > 0 ? repeats : NAN;
	draws_likelihood_finish(&l);
}

static bool is_proven(double p)
{
	return p < DRAWS_ALPHA;
}

/* penalty: whether a penalty is proven. It also moves tokens that are not known to be in the
 * context, such as those of a chat template. The draws then look like those of a higher
 * temperature, so that the estimate only limits the temperature from above. */
static void settle_temperature(struct draws_findings *f, bool penalty, double p, double wanted)
{
	struct draws_temperature *t = &f->temperature;
	struct draws_test *test = &f->tests[DRAWS_FINDING_TEMPERATURE];
	double half = isinf(t->ci.high) ? 0 : log(t->ci.high / t->ratio);
	half = t->ci.low > 0 ? fmax(half, log(t->ratio / t->ci.low)) : half;
	double known = log1p(DRAWS_RATIO_KNOWN);
	test->p = p;
	test->needed = half > 0 ? ceil((double)f->draws * half * half / (2 * LIKELIHOOD_DROP) * 2 *
	                                  wanted / (known * known))
	                        : NAN;
	bool ignored = t->lists_after && f->lists == LOGPROBS_RAW;
	bool hidden = penalty && t->ci.high >= 1;
	bool near = t->ci.low > 1 - DRAWS_RATIO_KNOWN && t->ci.high < 1 + DRAWS_RATIO_KNOWN;
	t->ci.low = penalty ? 0 : t->ci.low;
	if ((is_proven(p) || ignored) && !hidden) {
		test->state = DRAWS_NOT_AS_ASKED;
	} else if (penalty) {
		test->state = DRAWS_CANNOT_BE_TOLD;
	} else if (!near) {
		test->state = DRAWS_TOO_FEW;
	} else {
		test->state = f->lists == LOGPROBS_RAW ? DRAWS_AS_ASKED : DRAWS_CANNOT_BE_TOLD;
	}
}

static void settle_cuts(
        const struct draws_likelihood *l, struct draws_findings *f, double p, double wanted)
{
	static const double USUAL[DRAWS_CUT_KINDS] = {USUAL_TOP_K, USUAL_TOP_P, USUAL_MIN_P};
	size_t best = best_cut(f->cuts);
	for (size_t k = 0; k < DRAWS_CUT_KINDS; k++) {
		struct draws_test *c = &f->tests[DRAWS_FINDING_TOP_K + k];
		c->p = fmax(c->p, p);
		double usual = draws_likelihood_usual(l, k, USUAL[k]);
		/* as if each further draw added as much information as those so far */
		c->needed = usual > 0 ? ceil((double)f->draws * wanted / usual) : NAN;
		c->state = usual >= wanted                  ? DRAWS_AS_ASKED
		           : f->lists == LOGPROBS_PROCESSED ? DRAWS_CANNOT_BE_TOLD
		                                            : DRAWS_TOO_FEW;
		if (is_proven(p) && f->cuts[best].gain - f->cuts[k].gain < KIND_APART) {
			bool named = k == best && is_apart(f->cuts, k);
			c->state = named ? DRAWS_NOT_AS_ASKED : DRAWS_TOO_FEW;
		} else if (f->lists == LOGPROBS_PROCESSED || f->lists == LOGPROBS_UNKNOWN) {
			c->state = c->state == DRAWS_TOO_FEW ? DRAWS_TOO_FEW : DRAWS_CANNOT_BE_TOLD;
		}
	}
}

/* Whether the shift is near 0, whatever the kind of the penalty is. */
static bool excludes_penalty(const struct draws_penalty_found *p)
{
	bool excludes = true;
	for (size_t k = 0; k < N_DRAWS_PENALTIES; k++) {
		const struct interval *ci = &p->shifts[k].ci;
		excludes &= ci->low > -DRAWS_SHIFT_KNOWN && ci->high < DRAWS_SHIFT_KNOWN;
	}
	return excludes;
}

/* Whether the temperature is certainly outside the range for which the rows have sums of shifts. */
static bool is_far(const struct draws_temperature *t)
{
	double most = exp(draws_log_ratio(DRAWS_MIDDLE_FROM + DRAWS_MIDDLE - 1));
	return t->ci.high < 1 / most || t->ci.low > most;
}

static void settle_penalty(struct draws_findings *f, double p, double wanted)
{
	struct draws_penalty_found *t = &f->penalty;
	struct draws_test *test = &f->tests[DRAWS_FINDING_PENALTY];
	t->kind = is_proven(p) ? kind_of_penalty(t) : N_DRAWS_PENALTIES;
	const struct draws_shift *s = draws_penalty_shift(t);
	double half = fmax(s->ci.high - s->nats, s->nats - s->ci.low);
	test->p = p;
	test->needed = half > 0 ? ceil((double)f->draws * half * half / LIKELIHOOD_DROP * wanted /
	                                  (DRAWS_SHIFT_KNOWN * DRAWS_SHIFT_KNOWN))
	                        : NAN;
	if (is_proven(p)) {
		test->state = DRAWS_NOT_AS_ASKED;
	} else if (is_far(&f->temperature)) {
		test->state = DRAWS_CANNOT_BE_TOLD;
	} else if (!t->shows || !excludes_penalty(t)) {
		test->state = DRAWS_TOO_FEW;
	} else {
		test->state = f->lists == LOGPROBS_RAW ? DRAWS_AS_ASKED : DRAWS_CANNOT_BE_TOLD;
	}
}

static void withdraw_all_but_repeats(struct draws_findings *f)
{
	for (size_t i = 0; i < DRAWS_FINDING_REPEATS; i++) {
		f->tests[i].state = DRAWS_CANNOT_BE_TOLD;
	}
}

static bool draws_outside(const struct draws_group *g)
{
	uint64_t n = g->excluded[DRAWS_OUTSIDE];
	uint64_t with_lists = g->answers + g->excluded[DRAWS_UNLISTED] + n;
	return n >= OUTSIDE_LEAST && n >= OUTSIDE_SHARE * (double)with_lists;
}

static void settle_one(struct draws_group *g, const double *p, size_t tests)
{
	struct draws_findings *f = &g->found;
	struct draws_test *ranks = &f->tests[DRAWS_FINDING_CALIBRATION];
	struct draws_test *repeats = &f->tests[DRAWS_FINDING_REPEATS];
	size_t all = tests * DRAWS_CUTS;
	/* How far the log likelihood may fall from its maximum, with all tests taken together. */
	double wanted = log((double)(all ? all : 1) / DRAWS_ALPHA);
	struct draws_likelihood l;
	draws_likelihood_init(&l, g, FITS);
	bool cut = is_proven(p[TEST_CUT]), penalty = is_proven(p[TEST_PENALTY]);
	if (f->draws > 0) {
		estimate_temperature(&l, cut, penalty, &f->temperature);
	} else {
		f->temperature.ratio = f->temperature.ci.low = f->temperature.ci.high = NAN;
	}
	settle_temperature(f, penalty, p[TEST_TEMPERATURE], wanted);
	settle_cuts(&l, f, p[TEST_CUT], wanted);
	settle_penalty(f, p[TEST_PENALTY], wanted);
	bool explained =
	        cut || penalty || f->tests[DRAWS_FINDING_TEMPERATURE].state == DRAWS_NOT_AS_ASKED;
	ranks->p = p[TEST_RANKS];
	f->calibration.outside = draws_outside(g) ? g->excluded[DRAWS_OUTSIDE] : 0;
	bool by_rank = f->draws >= FEW_DRAWS && is_proven(p[TEST_RANKS]);
	ranks->state = (by_rank || f->calibration.outside > 0) && !explained ? DRAWS_NOT_AS_ASKED
	               : f->draws < FEW_DRAWS                                ? DRAWS_TOO_FEW
	                                                                     : DRAWS_AS_ASKED;
	repeats->p = isnan(p[TEST_REPEATS]) ? 1 : p[TEST_REPEATS];
	repeats->state = f->repeats.pairs == 0   ? DRAWS_TOO_FEW
	                 : is_proven(repeats->p) ? DRAWS_NOT_AS_ASKED
	                                         : DRAWS_AS_ASKED;
	/* If answers repeat more often than by chance, they are not the independent draws that all
	 * other tests assume. An engine that never samples is excluded: it draws nothing. */
	if (is_proven(p[TEST_REPEATS]) && !f->never_samples) {
		withdraw_all_but_repeats(f);
	}
	draws_likelihood_finish(&l);
}

void draws_tests_make(struct draws_group *groups, size_t n)
{
	double *p = xcalloc(n * N_TESTS + 1, sizeof(*p));
	for (size_t i = 0; i < n; i++) {
		make_one(&groups[i], p + i * N_TESTS);
	}
	multiple_testing_holm(p, n * N_TESTS);
	for (size_t i = 0; i < n; i++) {
		settle_one(&groups[i], p + i * N_TESTS, n * N_TESTS);
	}
	free(p);
}

const char *draws_state_name(enum draws_state s, bool of_temperature)
{
	static const char *const OF_TEMPERATURE[] = {
	        "too_few", "as_asked", "not_as_asked", "cannot_be_told"};
	static const char *const OTHERS[] = {"too_few", "none", "found", "cannot_be_told"};
	return of_temperature ? OF_TEMPERATURE[s] : OTHERS[s];
}
