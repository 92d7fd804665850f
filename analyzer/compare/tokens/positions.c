#include "analyzer/compare/tokens/positions.h"

#include <math.h>

#include "base/check.h"

#define HIDDEN_MUCH 0.2

static void sum(struct positions *s, enum position_figure f, double value)
{
	if (!isnan(value)) {
		s->figures[f].sum += value;
		s->figures[f].n++;
	}
}

static void compare_tops(struct positions *s, const struct position *p)
{
	if (p->best_base == POSITION_NONE || p->best_test == POSITION_NONE) {
		return;
	}
	double delta = p->test[p->best_base] - p->base[p->best_base];
	sum(s, POSITION_SAME_TOP, p->best_base == p->best_test);
	sum(s, POSITION_TOP1_DELTA, delta);
	sum(s, POSITION_TOP1_SQUARE, delta * delta);
	s->top1_unlisted += isnan(delta);
}

static void compare_lists(struct positions *s, const struct position *p)
{
	size_t k = position_shorter_length(p);
	sum(s, POSITION_JACCARD_K, position_jaccard(p, k));
	if (k >= JACCARD_TOP) {
		sum(s, POSITION_JACCARD_5, position_jaccard(p, JACCARD_TOP));
	} else {
		s->top5_short++;
	}
}

static void sum_distances(struct positions *s, const struct position *p, const struct bounds *b)
{
	double hidden = (b->p_hidden + b->r_hidden) / 2;
	sum(s, POSITION_KL_LOW, b->kl_low);
	sum(s, POSITION_TV_LOW, b->tv_low);
	sum(s, POSITION_TV_HIGH, b->tv_high);
	sum(s, POSITION_JS_LOW, b->js_low);
	sum(s, POSITION_JS_HIGH, b->js_high);
	sum(s, POSITION_MISSING_MASS, hidden);
	sum(s, POSITION_KL_RENORMALISED, position_kl_renormalised(p));
	log_histogram_add(&s->kl_low, b->kl_low);
	s->missing_much += hidden > HIDDEN_MUCH;
}

/* Compares the probabilities of the token that the test chose. equal: the base chose the same
 * token. */
static void compare_chosen(struct positions *s, const struct position *p, bool equal)
{
	size_t chosen = p->chosen_test;
	double rank = position_rank(p);
	sum(s, POSITION_RANK, rank);
	s->rank_unlisted += isnan(rank) && p->n_base > 0;
	if (chosen == POSITION_NONE || isnan(p->test[chosen]) || isnan(p->base[chosen])) {
		return;
	}
	sum(s, POSITION_K3, bounds_k3(p->base[chosen] - p->test[chosen]));
	if (equal) {
		double lp = p->test[chosen] - p->base[chosen];
		double change = p->test_p[chosen] - p->base_p[chosen];
		sum(s, POSITION_DELTA_LP, lp);
		sum(s, POSITION_DELTA_LP_SQUARE, lp * lp);
		sum(s, POSITION_DELTA_P, change);
		sum(s, POSITION_DELTA_P_SQUARE, change * change);
		signed_histogram_add(&s->delta_lp, lp);
		signed_histogram_add(&s->delta_p, change);
	}
}

/* Counts lists that were too short as received, whether or not their logprobs are usable. */
static void count_few(struct positions *s, const struct listing *base, const struct listing *test)
{
	uint32_t b = base->to - base->from, t = test->to - test->from;
	if (b > 0 && t > 0) {
		s->few += b < JACCARD_TOP || t < JACCARD_TOP;
		s->few_base += b < JACCARD_TOP;
		s->few_test += t < JACCARD_TOP;
	}
}

/* Adds the noise of a greedy pair's positions up to its first difference. */
static void add_noise(struct positions *s, const struct listing_walk *at, const struct position *p)
{
	log_histogram_add(&s->gaps, position_gap(p));
	if (at->at.equal) {
		log_histogram_add(&s->noise, first_noise(&at->base, &at->test));
	} else {
		first_find(&at->base, &at->test, &s->first);
		s->has_first = true;
	}
}

static void compare_position(struct positions *s, const struct listing_walk *at, bool greedy,
        struct cause_signs_reader *signs)
{
	struct position p;
	struct bounds b;
	position_read(&at->base, &at->test, &p);
	bool bare = position_is_bare(&p);
	if (!bare) {
		position_bounds(&p, at->rounding, &b);
		compare_lists(s, &p);
		sum_distances(s, &p, &b);
		if (listing_tops_are_known(&at->base, &at->test)) {
			compare_tops(s, &p);
		}
	}
	compare_chosen(s, &p, at->at.equal);
	count_few(s, &at->base, &at->test);
	cause_signs_position(signs, at, &p, bare ? NULL : &b);
	if (greedy && !s->has_first) {
		add_noise(s, at, &p);
	}
}

/* The position of the first difference as a share of the base's length, as defined by the paper
 * in docs/metrics.md. */
static double divergence_index(const struct choice *base, const struct choice *test,
        const struct first_difference *difference)
{
	if (!difference->tokens_differ && difference->text_equal) {
		return 1;
	}
	uint32_t at = difference->tokens_differ ? difference->first_token
	                                        : MIN(base->columns.n, test->columns.n);
	return base->columns.n ? fmin(1, (double)at / base->columns.n) : 0;
}

void positions_compare(const struct choice *base, const struct choice *test,
        const struct first_difference *difference, bool greedy, struct cause_signs_reader *signs,
        struct positions *ret)
{
	*ret = (struct positions){.has_tokens = difference->has_tokens};
	if (!difference->has_tokens) {
		return;
	}
	ret->differ = difference->tokens_differ || !difference->text_equal;
	ret->has_first_token = difference->tokens_differ;
	ret->comparable = difference->comparable;
	ret->first_token = difference->first_token;
	ret->divergence_index = divergence_index(base, test, difference);
	struct listing_walk at;
	listing_walk_begin(&at, &base->columns, &test->columns);
	while (listing_walk_next(&at)) {
		compare_position(ret, &at, greedy, signs);
	}
	for (size_t f = 0; f < N_POSITION_FIGURES; f++) {
		ret->figures[f].sum = (double)(float)ret->figures[f].sum;
	}
}
