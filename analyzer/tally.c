#include "analyzer/tally.h"

#include <math.h>
#include <string.h>

#include "analyzer/cause_signs.h"
#include "analyzer/metrics_tokens.h"
#include "analyzer/sheet.h"
#include "base/check.h"

#define HIDDEN_MUCH 0.2
#define JACCARD_5 5

static bool is_changed(const struct meaning *m)
{
	return m->class == MEANING_ANSWER_CHANGED || m->class == MEANING_STRUCTURAL;
}

/* infer-check's: identical, minor, moderate, severe. */
static size_t tier_of(double similarity, bool identical)
{
	return identical ? 0 : similarity >= 0.8 ? 1 : similarity >= 0.5 ? 2 : 3;
}

static void add_scores(
        struct tally *t, uint32_t row, const struct meaning *m, struct tally_facts *facts)
{
	bool base = m->base_gold == GOLD_RIGHT, test = m->test_gold == GOLD_RIGHT;
	facts->base_gold = m->base_gold;
	facts->test_gold = m->test_gold;
	if (gold_is_told(m->base_gold) && gold_is_told(m->test_gold)) {
		clusters_add(t->clusters, row, FIGURE_BASE_SCORE, base, 1);
		clusters_add(t->clusters, row, FIGURE_TEST_SCORE, test, 1);
		clusters_add(t->clusters, row, FIGURE_SCORE_SHIFT, 100.0 * (test - base), 1);
		clusters_add(t->clusters, row, FIGURE_BROKE, base && !test, 1);
		clusters_add(t->clusters, row, FIGURE_FIXED, !base && test, 1);
	}
}

static void add_meaning(
        struct tally *t, uint32_t row, const struct meaning *m, struct tally_facts *facts)
{
	if (!m) {
		return;
	}
	facts->decided = m->class != MEANING_UNDECIDED;
	facts->changed = is_changed(m);
	meaning_counts_add(&t->meanings, m);
	add_scores(t, row, m, facts);
	if (facts->decided) {
		clusters_add(t->clusters, row, FIGURE_ANSWER_CHANGED, facts->changed, 1);
	}
	clusters_add(t->clusters, row, FIGURE_UNDECIDED, !facts->decided, 1);
	clusters_add(t->clusters, row, FIGURE_SIMILARITY, (double)m->similarity, 1);
	t->tiers[tier_of((double)m->similarity, m->rung == RUNG_BYTES)]++;
}

static void add_answer(struct tally *t, uint32_t row, const struct tally_pair *p)
{
	const struct parting *parting = p->parting;
	const char *base_finish = p->base->finish, *test_finish = p->test->finish;
	clusters_add(t->clusters, row, FIGURE_DIFFER, p->differ, 1);
	clusters_add(t->clusters, row, FIGURE_TEXT_DIFFERS, !parting->text_equal, 1);
	if (base_finish && test_finish) {
		bool differs = strcmp(base_finish, test_finish) != 0;
		clusters_add(t->clusters, row, FIGURE_FINISH_DIFFERS, differs, 1);
	}
	if (p->base_tokens >= 0 && p->test_tokens >= 0) {
		double longer = (double)p->test_tokens - (double)p->base_tokens;
		clusters_add(t->clusters, row, FIGURE_LENGTH_BIAS, longer, 1);
		clusters_add(t->clusters, row, FIGURE_LENGTH_MAGNITUDE, fabs(longer), 1);
	}
}

/* What was added up over a pair's positions, by figure; goes to the cluster at once. */
struct sums {
	double part[N_FIGURES], whole[N_FIGURES];
};

static void sum(struct sums *s, enum figure f, double value)
{
	if (!isnan(value)) {
		s->part[f] += value;
		s->whole[f]++;
	}
}

/* What is under way with one pair. */
struct walk {
	struct tally *tally;
	struct tally_facts *facts;
	struct sums *sums;
	struct sheet sheet; /* positions whose bounds and probabilities are still to be reckoned */
};

/* Of a row of the sheet: the token that both chose; none. */
#define NO_TOKEN UINT8_MAX

static void add_distance(
        struct walk *w, uint64_t hash, const struct bounds *b, double hidden, double renormalised)
{
	struct sums *s = w->sums;
	sum(s, FIGURE_KL_LOW, b->kl_low);
	sum(s, FIGURE_TV_LOW, b->tv_low);
	sum(s, FIGURE_TV_HIGH, b->tv_high);
	sum(s, FIGURE_JS_LOW, b->js_low);
	sum(s, FIGURE_JS_HIGH, b->js_high);
	sum(s, FIGURE_HIDDEN, hidden);
	sum(s, FIGURE_KL_RENORMALISED, renormalised);
	sample_add_hashed(&w->tally->kl_low, hash, b->kl_low);
	w->tally->hidden_much += hidden > HIDDEN_MUCH;
}

static void add_change(struct walk *w, uint64_t hash, double change)
{
	sum(w->sums, FIGURE_DELTA_P_RMS, change * change);
	sample_add_hashed(&w->tally->delta_p, hash, change);
}

static void flush(struct walk *w)
{
	struct sheet *s = &w->sheet;
	sheet_reckon(s);
	for (size_t i = 0; i < s->n; i++) {
		const struct bounds b = {.kl_low = s->kl_low[i],
		        .tv_low = s->tv_low[i],
		        .tv_high = s->tv_high[i],
		        .js_low = s->js_low[i],
		        .js_high = s->js_high[i]};
		add_distance(w, s->hash[i], &b, s->hidden[i], s->renormalised[i]);
		size_t token = s->mark[i];
		if (token != NO_TOKEN) {
			add_change(w, s->hash[i], s->test_p[token][i] - s->base_p[token][i]);
		}
	}
	s->n = 0;
}

/* The token whose change in probability counts, or NO_TOKEN. */
static size_t changed_token(const struct position *p, bool equal)
{
	size_t chosen = p->chosen_test;
	bool known = equal && chosen != POSITION_NONE && !isnan(p->test[chosen]) &&
	             !isnan(p->base[chosen]);
	return known ? chosen : NO_TOKEN;
}

/* What takes exponentials and logs: later, with others, or at once. */
static void weigh(struct walk *w, struct position *p, uint64_t hash, bool equal)
{
	size_t token = changed_token(p, equal);
	if (sheet_fits(p)) {
		sheet_add(&w->sheet, p, hash, (uint8_t)token);
		if (w->sheet.n == SHEET_MOST) {
			flush(w);
		}
		return;
	}
	position_weigh(p);
	if (!position_is_bare(p)) {
		struct bounds b;
		position_bounds(p, &b);
		add_distance(
		        w, hash, &b, (b.p_hidden + b.r_hidden) / 2, position_kl_renormalised(p));
	}
	if (token != NO_TOKEN) {
		add_change(w, hash, p->test_p[token] - p->base_p[token]);
	}
}

static void sum_lists(struct sums *s, const struct position *p)
{
	if (p->best_base != POSITION_NONE && p->best_test != POSITION_NONE) {
		double lp = p->test[p->best_base];
		sum(s, FIGURE_SAME_TOP, p->best_base == p->best_test);
		if (!isnan(lp)) {
			double d = lp - p->base[p->best_base];
			sum(s, FIGURE_TOP1_RMSE, d * d);
		}
	}
	double jaccard = position_jaccard(p);
	sum(s, FIGURE_JACCARD_K, jaccard);
	if (p->k == JACCARD_5) {
		sum(s, FIGURE_JACCARD_5, jaccard);
	}
}

/* Of the token that the test chose: how the base finds it. */
static void sum_chosen(
        struct tally *t, struct sums *s, const struct position *p, bool equal, uint64_t hash)
{
	size_t chosen = p->chosen_test;
	double rank = position_rank(p);
	sum(s, FIGURE_RANK, rank);
	t->rank_unlisted += isnan(rank) && p->n_base > 0;
	if (chosen == POSITION_NONE || isnan(p->test[chosen]) || isnan(p->base[chosen])) {
		return;
	}
	double test = p->test[chosen], base = p->base[chosen];
	sum(s, FIGURE_K3, bounds_k3(test, base));
	if (equal) {
		double lp = test - base;
		sum(s, FIGURE_DELTA_LP, lp);
		sum(s, FIGURE_DELTA_LP_RMS, lp * lp);
		sample_add_hashed(&t->delta_lp, hash, lp);
	}
}

/* What a greedy pair says up to its first difference. */
static void add_noise(
        struct walk *w, const struct listing_walk *at, const struct position *p, uint64_t hash)
{
	struct tally *t = w->tally;
	flips_add(&t->flips, position_gap(p));
	if (at->at.equal) {
		sample_add_hashed(&t->noise, hash,
		        p->plain && position_falls(p) ? position_plain_noise(p)
		                                      : first_noise(&at->test, &at->base));
	} else {
		first_find(&at->test, &at->base, &w->facts->first);
		firsts_add(&t->firsts, &w->facts->first);
		w->facts->has_first = true;
	}
}

static void walk(
        struct tally *t, struct sums *s, const struct tally_pair *pair, struct tally_facts *facts)
{
	struct listing_walk at;
	struct position p;
	struct walk w;
	w.tally = t;
	w.facts = facts;
	w.sums = s;
	w.sheet.n = 0;
	listing_walk_begin(&at, &pair->base->columns, &pair->test->columns);
	while (listing_walk_next(&at)) {
		uint64_t hash = sample_hash(pair->key + at.at.a);
		position_match(&at.base, &at.test, &p);
		if (pair->metrics) {
			metrics_add_position(pair->metrics, &at.base, &at.test, &p, at.at.equal);
		}
		if (pair->signs) {
			cause_signs_position(pair->signs, &at, &p);
		}
		if (!position_is_bare(&p)) {
			sum_lists(s, &p);
		}
		sum_chosen(t, s, &p, at.at.equal, hash);
		weigh(&w, &p, hash, at.at.equal);
		if (pair->greedy && !facts->has_first) {
			add_noise(&w, &at, &p, hash);
		}
	}
	flush(&w);
	listing_walk_end(&at);
}

static double divergence_index(const struct tally_pair *p)
{
	const struct parting *parting = p->parting;
	const struct columns *base = &p->base->columns, *test = &p->test->columns;
	if (!parting->tokens_part && parting->text_equal) {
		return 1;
	}
	uint32_t at = parting->tokens_part ? parting->first_token : MIN(base->n, test->n);
	return base->n ? fmin(1, (double)at / base->n) : 0;
}

static void add_tokens(
        struct tally *t, uint32_t row, const struct tally_pair *p, struct tally_facts *facts)
{
	const struct parting *parting = p->parting;
	struct sums s = {0};
	facts->parted = parting->tokens_part || !parting->text_equal;
	facts->at_risk = parting->comparable;
	uint32_t equal = parting->comparable - (parting->tokens_part && parting->comparable > 0);
	survival_add(&t->survival, equal, facts->parted);
	s.part[FIGURE_HAZARD] = facts->parted;
	s.whole[FIGURE_HAZARD] = parting->comparable;
	facts->divergence_index = divergence_index(p);
	sum(&s, FIGURE_DIVERGENCE_INDEX, facts->divergence_index);
	walk(t, &s, p, facts);
	for (size_t f = 0; f < N_FIGURES; f++) {
		if (s.whole[f] > 0) {
			clusters_add(t->clusters, row, f, s.part[f], s.whole[f]);
		}
	}
	facts->tops = (uint64_t)s.whole[FIGURE_SAME_TOP];
	facts->tops_equal = (uint64_t)s.part[FIGURE_SAME_TOP];
}

void tally_add(struct tally *t, const struct tally_pair *pair, struct tally_facts *ret)
{
	*ret = (struct tally_facts){.differ = pair->differ};
	if (!t->clusters) {
		t->clusters = clusters_create(N_FIGURE_COLUMNS);
	}
	uint32_t row = clusters_row(t->clusters, pair->cluster);
	add_answer(t, row, pair);
	add_meaning(t, row, pair->meaning, ret);
	if (pair->parting->has_tokens) {
		add_tokens(t, row, pair, ret);
	}
}

void tally_expect(struct tally *t, const struct tally *other)
{
	sample_expect(&t->delta_lp, &other->delta_lp);
	sample_expect(&t->delta_p, &other->delta_p);
	sample_expect(&t->kl_low, &other->kl_low);
	sample_expect(&t->noise, &other->noise);
}

void tally_merge(struct tally *t, const struct tally *other)
{
	if (!other->clusters) {
		return;
	}
	if (!t->clusters) {
		t->clusters = clusters_create(N_FIGURE_COLUMNS);
	}
	clusters_merge(t->clusters, other->clusters);
	spread_merge(&t->survival.parted, &other->survival.parted);
	spread_merge(&t->survival.whole, &other->survival.whole);
	sample_merge(&t->delta_lp, &other->delta_lp);
	sample_merge(&t->delta_p, &other->delta_p);
	sample_merge(&t->kl_low, &other->kl_low);
	sample_merge(&t->noise, &other->noise);
	firsts_merge(&t->firsts, &other->firsts);
	flips_merge(&t->flips, &other->flips);
	meaning_counts_merge(&t->meanings, &other->meanings);
	for (size_t i = 0; i < ARRAY_LEN(t->tiers); i++) {
		t->tiers[i] += other->tiers[i];
	}
	t->rank_unlisted += other->rank_unlisted;
	t->hidden_much += other->hidden_much;
}

void tally_settle(struct tally *t)
{
	sample_settle(&t->delta_lp);
	sample_settle(&t->delta_p);
	sample_settle(&t->kl_low);
	sample_settle(&t->noise);
}

void tally_finish(struct tally *t)
{
	clusters_destroy(t->clusters);
	sample_finish(&t->delta_lp);
	sample_finish(&t->delta_p);
	sample_finish(&t->kl_low);
	sample_finish(&t->noise);
	firsts_finish(&t->firsts);
	*t = (struct tally){0};
}

double tally_sigma(const struct tally *t)
{
	return t->noise.n < FIRST_NOISE_LEAST ? NAN : sample_robust_sd(&t->noise);
}
