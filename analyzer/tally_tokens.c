#include "analyzer/tally_tokens.h"

#include "analyzer/compare/tokens/cause_signs.h"
#include "analyzer/compare/tokens/metrics_tokens.h"
#include "base/check.h"

#define HIDDEN_MUCH 0.2

/* What is under way with one pair. */
struct walk {
	struct tally *tally;
	struct tally_sums *sums;
	const struct tally_pair *pair;
	struct tally_facts *facts;
	struct listing_walk at;
};

/* Noise and flips are of a greedy pair up to its first difference. */
static bool is_before(const struct walk *w)
{
	return w->pair->greedy && !w->facts->has_first;
}

static void sum_lists(struct tally_sums *s, const struct position *p, bool tops_are_told)
{
	if (tops_are_told && p->best_base != POSITION_NONE && p->best_test != POSITION_NONE) {
		double lp = p->test[p->best_base];
		tally_sum(s, FIGURE_SAME_TOP, p->best_base == p->best_test);
		if (!isnan(lp)) {
			double d = lp - p->base[p->best_base];
			tally_sum(s, FIGURE_TOP1_RMSE, d * d);
		}
	}
	size_t k = position_k(p);
	tally_sum(s, FIGURE_JACCARD_K, position_jaccard(p, k));
	if (k >= METRICS_TOP) {
		tally_sum(s, FIGURE_JACCARD_5, position_jaccard(p, METRICS_TOP));
	}
}

static void sum_distances(
        struct walk *w, const struct position *p, const struct bounds *b, uint64_t hash)
{
	struct tally_sums *s = w->sums;
	double hidden = (b->p_hidden + b->r_hidden) / 2;
	tally_sum(s, FIGURE_KL_LOW, b->kl_low);
	tally_sum(s, FIGURE_TV_LOW, b->tv_low);
	tally_sum(s, FIGURE_TV_HIGH, b->tv_high);
	tally_sum(s, FIGURE_JS_LOW, b->js_low);
	tally_sum(s, FIGURE_JS_HIGH, b->js_high);
	tally_sum(s, FIGURE_HIDDEN, hidden);
	tally_sum(s, FIGURE_KL_RENORMALISED, position_kl_renormalised(p));
	sample_add_hashed(&w->tally->kl_low, hash, b->kl_low);
	w->tally->hidden_much += hidden > HIDDEN_MUCH;
}

/* Of the token that the test chose: how the base finds it. */
static void sum_chosen(struct walk *w, const struct position *p, uint64_t hash)
{
	struct tally_sums *s = w->sums;
	size_t chosen = p->chosen_test;
	double rank = position_rank(p);
	tally_sum(s, FIGURE_RANK, rank);
	w->tally->rank_unlisted += isnan(rank) && p->n_base > 0;
	if (chosen == POSITION_NONE || isnan(p->test[chosen]) || isnan(p->base[chosen])) {
		return;
	}
	double test = p->test[chosen], base = p->base[chosen];
	tally_sum(s, FIGURE_K3, bounds_k3(test, base));
	if (w->at.at.equal) {
		double lp = test - base, change = p->test_p[chosen] - p->base_p[chosen];
		tally_sum(s, FIGURE_DELTA_LP, lp);
		tally_sum(s, FIGURE_DELTA_LP_RMS, lp * lp);
		tally_sum(s, FIGURE_DELTA_P_RMS, change * change);
		sample_add_hashed(&w->tally->delta_lp, hash, lp);
		sample_add_hashed(&w->tally->delta_p, hash, change);
	}
}

static void add_noise(struct walk *w, const struct position *p, uint64_t hash)
{
	struct tally *t = w->tally;
	const struct listing_walk *at = &w->at;
	flips_add(&t->flips, position_gap(p));
	if (at->at.equal) {
		sample_add_hashed(&t->noise, hash, first_noise(&at->test, &at->base));
		return;
	}
	first_find(&at->test, &at->base, &w->facts->first);
	firsts_add(&t->firsts, &w->facts->first);
	w->facts->has_first = true;
}

static void add_position(struct walk *w)
{
	const struct listing_walk *at = &w->at;
	uint64_t hash = sample_hash(w->pair->key + at->at.a);
	struct position p;
	struct bounds b;
	position_read(&at->base, &at->test, &p);
	bool bare = position_is_bare(&p);
	if (!bare) {
		position_bounds(&p, &b);
	}
	if (w->pair->metrics) {
		metrics_add_position(w->pair->metrics, &at->base, &at->test, &p, at->at.equal);
	}
	if (w->pair->signs) {
		cause_signs_position(w->pair->signs, at, &p, bare ? NULL : &b);
	}
	if (!bare) {
		sum_lists(w->sums, &p, listing_tops_are_told(&at->base, &at->test));
		sum_distances(w, &p, &b, hash);
	}
	sum_chosen(w, &p, hash);
	if (is_before(w)) {
		add_noise(w, &p, hash);
	}
}

void tally_walk(struct tally *t, struct tally_sums *s, const struct tally_pair *pair,
        struct tally_facts *facts)
{
	struct walk w = {.tally = t, .sums = s, .pair = pair, .facts = facts};
	listing_walk_begin(&w.at, &pair->base->columns, &pair->test->columns);
	while (listing_walk_next(&w.at)) {
		add_position(&w);
	}
}
