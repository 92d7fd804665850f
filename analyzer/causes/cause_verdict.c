#include "analyzer/causes/cause_verdict.h"

#include <math.h>

#include "analyzer/causes/cause_text.h"
#include "base/check.h"

#define COUNT_LEAST 3 /* occurrences needed before a cause is named */
/* as few, because an answer hardly ever ends in exactly that text by chance */
#define STOPS_LEAST 2
#define SLOPE_LEAST 0.05
#define FIT_LEAST 0.98
#define SCORED_FIT_LEAST 0.9 /* of the same model */
#define GAPS_LEAST 200
/* how far the shares of differing answers must be apart between levels or times */
#define RATE_LEAST 0.03
#define RATIO_LEAST 1.5
#define NOISE_LEAST 0.01 /* nats */
#define NOISE_STRONG 0.2 /* nats */
#define TIE_NOISE_MOST 0.1
#define LOAD_LEAST 2.0
#define ONE_IN_HUNDRED 100

struct verdict {
	const struct analysis_group *g;
	struct cause_tests tests;
	bool named[N_CAUSES];
	struct cause_finding findings[N_CAUSES];
};

static void name(struct verdict *v, enum cause_kind k, enum cause_side side, enum cause_test test)
{
	v->named[k] = true;
	v->findings[k] = (struct cause_finding){.kind = k, .side = side, .test = test};
}

/* Names a cause. from: what shows its side, if the side is known. */
static void name_from(struct verdict *v, enum cause_kind k, enum cause_side side,
        enum cause_side_from from, enum cause_test test)
{
	name(v, k, side, test);
	v->findings[k].side_from = from;
}

static bool is_many(uint64_t n, uint64_t of)
{
	return n >= COUNT_LEAST && n * ONE_IN_HUNDRED >= of;
}

static enum cause_side side_of(bool base, bool test)
{
	return base && test ? CAUSE_OF_BOTH : base ? CAUSE_OF_BASE : CAUSE_OF_TEST;
}

/* Names a cause that one side, or each of both, shows by itself. test: N_CAUSE_TESTS for a cause
 * that is counted, not tested. */
static void name_sides(
        struct verdict *v, enum cause_kind k, bool of_base, bool of_test, enum cause_test test)
{
	if (of_base || of_test) {
		name_from(v, k, side_of(of_base, of_test), SIDE_FROM_OWN_ANSWERS, test);
	}
}

/* The side that causes the difference, if the noise floors show it. Noise of the base shows nothing
 * about the test. */
static enum cause_side side_by_floor(const struct analysis_group *g)
{
	bool alarm = false;
	for (size_t f = 0; f < N_EXCESSES; f++) {
		alarm |= g->excesses[f].alarm;
	}
	return alarm && excess_ground(&g->excess) == EXCESS_GROUND_BOTH &&
	                       excess_noisy_side(&g->excess, g->excesses) != EXCESS_OF_BASE
	               ? CAUSE_OF_TEST
	               : CAUSE_OF_UNKNOWN;
}

static void find_prompts(struct verdict *v)
{
	const struct cause_prompts *p = &v->g->causes.prompts;
	enum cause_kind kinds[N_CAUSE_PROMPTS];
	cause_prompts_kinds(p, kinds);
	for (size_t i = 0; i < N_CAUSE_PROMPTS; i++) {
		bool sided = kinds[i] == CAUSE_TRUNCATED || kinds[i] == CAUSE_SYSTEM;
		int64_t usual = kinds[i] == CAUSE_SYSTEM ? cause_prompts_usual(p) : 0;
		if (kinds[i] < N_CAUSES && p->of[i].unlike > 0) {
			name(v, kinds[i],
			        !sided                                      ? CAUSE_OF_UNKNOWN
			        : p->of[i].ranges[RANGE_DELTA].high < usual ? CAUSE_OF_TEST
			                                                    : CAUSE_OF_BASE,
			        N_CAUSE_TESTS);
		}
	}
}

/* Finds the causes that need only counts, not a statistical test. */
static void find_counted(struct verdict *v)
{
	const struct causes *c = &v->g->causes;
	const struct causes_of_side *base = &c->of[SIDE_BASE], *test = &c->of[SIDE_TEST];
	name_sides(v, CAUSE_ERROR, is_many(base->failed, c->counts.pairs),
	        is_many(test->failed, c->counts.pairs), N_CAUSE_TESTS);
	find_prompts(v);
	uint64_t unlike = c->counts.by_decoding[DECODING_UNLIKE];
	if (unlike > c->counts.refused) {
		name(v, CAUSE_UNLIKE, CAUSE_OF_BOTH, N_CAUSE_TESTS);
	}
	if (c->counts.refused > 0) {
		name(v, CAUSE_REFUSED, CAUSE_OF_UNKNOWN, N_CAUSE_TESTS);
	}
	/* Sampling makes texts differ, but not the scores of their tokens. */
	bool scored = scores_decide(&v->g->scores, false);
	if (c->counts.by_decoding[DECODING_UNKNOWN] > 0 && !scored) {
		name(v, CAUSE_UNSET, CAUSE_OF_BOTH, N_CAUSE_TESTS);
	}
	if (c->counts.by_decoding[DECODING_SAMPLED] > 0 && !scored) {
		name(v, CAUSE_SAMPLED, CAUSE_OF_BOTH, N_CAUSE_TESTS);
	}
	if (base->cut + test->cut >= COUNT_LEAST) {
		name(v, CAUSE_CUT, side_of(base->cut > 0, test->cut > 0), N_CAUSE_TESTS);
	}
	if (base->stop + test->stop >= STOPS_LEAST) {
		name(v, CAUSE_STOP_KEPT, side_of(base->stop > 0, test->stop > 0), N_CAUSE_TESTS);
	}
	if (placement_usual_differs(&v->g->places)) {
		name(v, CAUSE_PLACE, CAUSE_OF_BOTH, N_CAUSE_TESTS);
	}
}

static bool is_misaligned(const struct cause_choices *c)
{
	return c->shifted >= COUNT_LEAST && c->unlisted * 5 >= c->tokens &&
	       c->shifted * 2 >= c->unlisted;
}

/* If both sides choose such tokens, a grammar explains it, not sampling. The chosen tokens must
 * also be probable enough to be drawn. */
static bool is_sampling(const struct cause_choices *c, const struct cause_choices *other)
{
	return c->strange >= COUNT_LEAST && c->strange * 1000 >= c->tokens &&
	       c->strange * 4 >= c->not_top && c->strange >= 3 * other->strange &&
	       c->unlisted * 2 <= c->not_top && !is_misaligned(c);
}

static bool is_over_one(const struct cause_choices *c)
{
	return is_many(c->over_one, c->lists);
}

/* Causes that concern the meaning of the logprobs themselves. */
static void find_semantics(struct verdict *v)
{
	const struct causes *c = &v->g->causes;
	const struct causes_of_side *base = &c->of[SIDE_BASE], *test = &c->of[SIDE_TEST];
	const struct cause_tests *t = &v->tests;
	name_sides(v, CAUSE_MISSPELT, is_many(base->lacks.misspelt, c->counts.pairs),
	        is_many(test->lacks.misspelt, c->counts.pairs), N_CAUSE_TESTS);
	name_sides(v, CAUSE_MISALIGNED, is_misaligned(&base->choices),
	        is_misaligned(&test->choices), N_CAUSE_TESTS);
	name_sides(v, CAUSE_OVER_ONE, is_over_one(&base->choices), is_over_one(&test->choices),
	        N_CAUSE_TESTS);
	if (t->p[TEST_PROCESSED] < CAUSE_ALPHA && c->counts.gaps >= GAPS_LEAST &&
	        t->fit >= FIT_LEAST && fabs(t->slope - 1) >= SLOPE_LEAST) {
		name(v, CAUSE_PROCESSED, CAUSE_OF_UNKNOWN, TEST_PROCESSED);
	}
}

static bool is_penalty(const struct cause_choices *c, double p)
{
	return p < CAUSE_ALPHA && c->repeats >= COUNT_LEAST && c->repeats * 2000 >= c->tokens;
}

/* Finds how the test processed its logprobs, if the scores show that its model is nearly the
 * base's. */
static void find_in_scores(struct verdict *v)
{
	const struct cause_tests *t = &v->tests;
	if (!(t->scored_fit >= SCORED_FIT_LEAST)) {
		return;
	}
	if (!v->named[CAUSE_PENALTY] && t->p[TEST_SCORED_CONTRAST] < CAUSE_ALPHA &&
	        t->scored_contrast < 0) {
		name(v, CAUSE_PENALTY, CAUSE_OF_TEST, TEST_SCORED_CONTRAST);
	}
	if (!v->named[CAUSE_SAMPLING] && t->p[TEST_SCORED_GAPS] < CAUSE_ALPHA &&
	        t->scored_fit >= FIT_LEAST && fabs(t->scored_stretch - 1) >= SLOPE_LEAST) {
		name(v, CAUSE_SAMPLING, CAUSE_OF_TEST, TEST_SCORED_GAPS);
	}
}

/* The other side's answers must not have such words as often; if they do, the requests are
 * similar. */
static bool is_crosstalk(const struct crosstalk_side *s, double p)
{
	return p < CAUSE_ALPHA && crosstalk_side_control_p(s) < CAUSE_ALPHA &&
	       s->in_flight >= COUNT_LEAST;
}

/* Causes that changed which tokens were chosen. */
static void find_choosing(struct verdict *v)
{
	const struct causes_of_side *of = v->g->causes.of;
	const struct cause_choices *own = &of[SIDE_BASE].choices, *other = &of[SIDE_TEST].choices;
	const struct cause_tests *t = &v->tests;
	name_sides(
	        v, CAUSE_SAMPLING, is_sampling(own, other), is_sampling(other, own), N_CAUSE_TESTS);
	bool base = is_penalty(own, t->p[TEST_PENALTY_OF_BASE]);
	bool test = is_penalty(other, t->p[TEST_PENALTY_OF_TEST]);
	if (base || test) {
		name_sides(v, CAUSE_PENALTY, base, test,
		        test ? TEST_PENALTY_OF_TEST : TEST_PENALTY_OF_BASE);
	} else if (t->p[TEST_CONTRAST] < CAUSE_ALPHA) {
		name(v, CAUSE_PENALTY, t->contrast < 0 ? CAUSE_OF_TEST : CAUSE_OF_BASE,
		        TEST_CONTRAST);
	}
	base = is_crosstalk(&of[SIDE_BASE].talk, t->p[TEST_CROSSTALK_OF_BASE]);
	test = is_crosstalk(&of[SIDE_TEST].talk, t->p[TEST_CROSSTALK_OF_TEST]);
	name_sides(v, CAUSE_CROSSTALK, base, test,
	        test ? TEST_CROSSTALK_OF_TEST : TEST_CROSSTALK_OF_BASE);
}

static bool is_apart(double low, double high)
{
	return high - low >= RATE_LEAST && high >= RATIO_LEAST * low;
}

/* Names the cause if more answers differ at higher levels, or else, as where most answers differ
 * at every level, if the numeric noise rises. */
static void name_level(struct verdict *v, enum cause_kind kind, enum cause_side side,
        enum cause_test test, const struct cause_rise *rise)
{
	const double *p = v->tests.p;
	bool louder = rise->noise_high >= RATIO_LEAST * rise->noise_low &&
	              rise->noise_high - rise->noise_low >= NOISE_LEAST;
	if (p[test] < CAUSE_ALPHA && rise->differ && is_apart(rise->low, rise->high)) {
		name(v, kind, side, test);
	} else if (p[test + 1] < CAUSE_ALPHA && rise->noise && louder) {
		name(v, kind, side, (enum cause_test)(test + 1));
	}
}

/* Causes that depend on the time, the load, the cache or the stack. */
static void find_circumstances(struct verdict *v)
{
	const struct cause_tests *t = &v->tests;
	const struct cause_change *change = &t->change;
	enum cause_side side = side_by_floor(v->g);
	double before = (double)change->before_hits / (double)change->before_n;
	double after = (double)change->after_hits / (double)change->after_n;
	if (t->p[TEST_STACK] < CAUSE_ALPHA && is_apart(fmin(t->stack_rate, t->others_rate),
	                                              fmax(t->stack_rate, t->others_rate))) {
		name(v, CAUSE_STACK, CAUSE_OF_TEST, TEST_STACK);
	}
	if (t->p[TEST_CHANGE] < CAUSE_ALPHA && is_apart(fmin(before, after), fmax(before, after))) {
		name_from(v, CAUSE_CORRUPTION, side, SIDE_FROM_FLOORS, TEST_CHANGE);
	}
	bool one_server = causes_are_of_one_server(&v->g->causes);
	name_level(v, CAUSE_LOAD, one_server ? CAUSE_OF_BOTH : side, TEST_LOAD, &t->load);
	v->findings[CAUSE_LOAD].side_from = SIDE_FROM_FLOORS;
	name_level(v, CAUSE_CACHE, CAUSE_OF_TEST, TEST_CACHE, &t->cache);
}

/* On average one side had at least LOAD_LEAST times as many requests in flight. */
static bool loads_differ(const struct causes *c)
{
	double base = (double)c->of[SIDE_BASE].in_flight, test = (double)c->of[SIDE_TEST].in_flight;
	return c->counts.loads > 0 && fmax(base, test) >= LOAD_LEAST * fmin(base, test);
}

/* Numeric noise between two engines is drift. A single server has one model: its noise comes from
 * the batch if the loads differ, else from the run. */
static void name_drift(struct verdict *v)
{
	const struct causes *c = &v->g->causes;
	if (causes_are_of_one_server(c) && loads_differ(c)) {
		if (!v->named[CAUSE_LOAD]) {
			name(v, CAUSE_LOAD, CAUSE_OF_BOTH, TEST_DRIFT);
		}
	} else if (v->g->is_floor) {
		name(v, CAUSE_UNSTABLE, CAUSE_OF_BOTH, TEST_DRIFT);
	} else {
		name_from(v, CAUSE_DRIFT, side_by_floor(v->g), SIDE_FROM_FLOORS, TEST_DRIFT);
	}
}

static void find_general(struct verdict *v)
{
	const struct analysis_group *g = v->g;
	const struct causes *c = &g->causes;
	const struct cause_tests *t = &v->tests;
	enum cause_side side = side_by_floor(g);
	if (c->counts.openings >= COUNT_LEAST &&
	        c->counts.openings * 20 >= c->counts.greedy_answers &&
	        c->counts.openings * 4 >= c->counts.greedy_unlike &&
	        c->counts.openings >= 3 * c->counts.lost) {
		name_from(v, CAUSE_OTHER_MODEL, side, SIDE_FROM_FLOORS, N_CAUSE_TESTS);
	}
	/* Strong drift at every position leaves some lists with little in common; that alone is
	 * no lost context. */
	bool strong = t->p[TEST_DRIFT] < CAUSE_ALPHA && t->noise >= NOISE_STRONG;
	if (is_many(c->counts.lost, c->counts.greedy_answers) &&
	        c->counts.lost * 5 >= c->counts.greedy_unlike && !strong) {
		name_from(v, CAUSE_LOST_CONTEXT, side, SIDE_FROM_FLOORS, N_CAUSE_TESTS);
	}
	double less = fmin(t->base_noise, t->test_noise);
	double more = fmax(t->base_noise, t->test_noise);
	/* A side's own noise can't explain that the other side is further away than that. */
	bool far = t->noise >= RATIO_LEAST * more;
	if (t->p[TEST_UNSTABLE] < CAUSE_ALPHA && more >= RATIO_LEAST * less && !far &&
	        more - less >= NOISE_LEAST && c->counts.greedy_unlike > 0) {
		name_from(v, CAUSE_UNSTABLE,
		        t->test_noise > t->base_noise ? CAUSE_OF_TEST : CAUSE_OF_BASE,
		        SIDE_FROM_FLOORS, TEST_UNSTABLE);
	}
	bool above = isnan(t->floor) || t->noise >= RATIO_LEAST * t->floor;
	if (t->p[TEST_DRIFT] < CAUSE_ALPHA && above && t->noise >= NOISE_LEAST &&
	        c->counts.greedy_unlike > 0) {
		name_drift(v);
	}
	uint64_t ties = g->first_verdict.n[FIRST_TIE];
	if (ties > 0 && ties * 10 >= c->counts.greedy_unlike && !(g->sigma > TIE_NOISE_MOST)) {
		name(v, CAUSE_TIE, CAUSE_OF_BOTH, N_CAUSE_TESTS);
	}
}

/* A cause may also produce the signs of others. If the more specific cause is named, the others are
 * dropped. */
static const struct {
	enum cause_kind kind;
	uint32_t drops; /* one bit a kind */
} ORDER[] = {
#define BIT(kind) (1u << (kind))
        {CAUSE_MISALIGNED, BIT(CAUSE_PROCESSED) | BIT(CAUSE_PENALTY) | BIT(CAUSE_SAMPLING) |
                                   BIT(CAUSE_OTHER_MODEL) | BIT(CAUSE_LOST_CONTEXT) |
                                   BIT(CAUSE_DRIFT) | BIT(CAUSE_TIE)},
        {CAUSE_PROCESSED, BIT(CAUSE_PENALTY) | BIT(CAUSE_DRIFT) | BIT(CAUSE_TIE)},
        {CAUSE_CROSSTALK, BIT(CAUSE_SAMPLING) | BIT(CAUSE_LOAD) | BIT(CAUSE_LOST_CONTEXT) |
                                  BIT(CAUSE_CORRUPTION)},
        {CAUSE_STACK, BIT(CAUSE_CORRUPTION) | BIT(CAUSE_OTHER_MODEL) | BIT(CAUSE_LOST_CONTEXT) |
                              BIT(CAUSE_DRIFT) | BIT(CAUSE_TIE)},
        {CAUSE_CORRUPTION, BIT(CAUSE_OTHER_MODEL) | BIT(CAUSE_LOST_CONTEXT) | BIT(CAUSE_DRIFT) |
                                   BIT(CAUSE_TIE)},
        {CAUSE_SAMPLING, BIT(CAUSE_DRIFT) | BIT(CAUSE_TIE)},
        {CAUSE_PENALTY, BIT(CAUSE_LOST_CONTEXT) | BIT(CAUSE_DRIFT)},
        {CAUSE_LOAD, BIT(CAUSE_OTHER_MODEL) | BIT(CAUSE_LOST_CONTEXT) | BIT(CAUSE_UNSTABLE) |
                             BIT(CAUSE_DRIFT) | BIT(CAUSE_TIE)},
        {CAUSE_CACHE, BIT(CAUSE_OTHER_MODEL) | BIT(CAUSE_LOST_CONTEXT) | BIT(CAUSE_UNSTABLE) |
                              BIT(CAUSE_DRIFT) | BIT(CAUSE_TIE)},
        {CAUSE_OTHER_MODEL,
                BIT(CAUSE_PENALTY) | BIT(CAUSE_LOST_CONTEXT) | BIT(CAUSE_DRIFT) | BIT(CAUSE_TIE)},
        {CAUSE_LOST_CONTEXT, BIT(CAUSE_DRIFT) | BIT(CAUSE_TIE)},
        {CAUSE_UNSTABLE, BIT(CAUSE_DRIFT) | BIT(CAUSE_TIE)},
        {CAUSE_DRIFT, BIT(CAUSE_TIE)},
#undef BIT
};

/* How many differing answers the higher of two shares adds. */
static double extra(double rate, uint64_t n, double other_rate, uint64_t other_n)
{
	return rate > other_rate ? (rate - other_rate) * (double)n
	                         : (other_rate - rate) * (double)other_n;
}

/* Load that changed at one moment, or with one process of the server, shows as two causes. Keeps
 * the one that explains more answers. */
static void choose_circumstance(struct verdict *v)
{
	const struct cause_tests *t = &v->tests;
	const struct cause_change *c = &t->change;
	double changed = extra((double)c->before_hits / (double)c->before_n, c->before_n,
	        (double)c->after_hits / (double)c->after_n, c->after_n);
	if (v->named[CAUSE_LOAD] && v->named[CAUSE_STACK]) {
		bool stack =
		        extra(t->stack_rate, t->stack->pairs, t->others_rate, 0) > t->load.extra;
		v->named[stack ? CAUSE_LOAD : CAUSE_STACK] = false;
	}
	if (v->named[CAUSE_LOAD] && v->named[CAUSE_CORRUPTION]) {
		v->named[changed < t->load.extra ? CAUSE_CORRUPTION : CAUSE_LOAD] = false;
	}
}

static void drop_weaker(struct verdict *v)
{
	choose_circumstance(v);
	for (size_t i = 0; i < ARRAY_LEN(ORDER); i++) {
		for (size_t k = 0; v->named[ORDER[i].kind] && k < N_CAUSES; k++) {
			v->named[k] &= !(ORDER[i].drops >> k & 1);
		}
	}
}

/* Names causes in how the sides draw their tokens. A kind that greedy answers have already shown
 * is not named again. */
static void find_draws(struct verdict *v)
{
	const struct analysis_group *g = v->g;
	bool compares_answers_of_one_engine = g->is_floor && g->legs > 0;
	for (size_t i = 0; !compares_answers_of_one_engine && i < N_DRAWS_FINDINGS; i++) {
		enum draws_finding f = (enum draws_finding)i;
		const struct draws_group *test = draws_side_finding(g->draws, g->test, g->base, f);
		const struct draws_group *base = draws_side_finding(g->draws, g->base, g->test, f);
		enum cause_kind kind = f == DRAWS_FINDING_PENALTY ? CAUSE_PENALTY : CAUSE_SAMPLING;
		if ((test || base) && !v->named[kind]) {
			name_sides(v, kind, !test, test != NULL, N_CAUSE_TESTS);
			v->findings[kind].draws = test ? test : base;
			v->findings[kind].draws_finding = f;
		}
	}
}

void causes_judge(struct analysis_group *g)
{
	struct verdict v = {.g = g};
	cause_list_finish(&g->found);
	cause_tests_make(g, &v.tests);
	find_counted(&v);
	find_semantics(&v);
	find_choosing(&v);
	find_circumstances(&v);
	find_general(&v);
	drop_weaker(&v);
	find_draws(&v);
	find_in_scores(&v);
	for (size_t k = 0; k < N_CAUSES; k++) {
		if (v.named[k]) {
			struct cause c;
			cause_text(g, &v.tests, &v.findings[k], &c);
			cause_list_add(&g->found, &c);
		}
	}
	cause_list_sort(&g->found);
}
