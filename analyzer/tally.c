#include "analyzer/tally.h"

#include <math.h>
#include <string.h>

#include "analyzer/tally_tokens.h"
#include "base/check.h"
#include "reading/finish.h"

static bool is_changed(const struct meaning *m)
{
	return m->class == MEANING_ANSWER_CHANGED || m->class == MEANING_STRUCTURAL;
}

/* infer-check's: identical, minor, moderate, severe. */
static size_t tier_of(double similarity, bool identical)
{
	return identical ? 0 : similarity >= 0.8 ? 1 : similarity >= 0.5 ? 2 : 3;
}

/* Where the sums of a pair go. */
struct place {
	uint32_t row;
	struct crossing_cell cell;
};

static void sum(struct tally *t, const struct place *at, size_t f, double part, double whole)
{
	clusters_add(t->clusters, at->row, f, part, whole);
	crossing_add(&t->crossing, at->cell, f, part, whole);
}

static void add_scores(
        struct tally *t, const struct place *at, const struct meaning *m, struct tally_facts *facts)
{
	bool base = m->base_gold == GOLD_RIGHT, test = m->test_gold == GOLD_RIGHT;
	facts->base_gold = m->base_gold;
	facts->test_gold = m->test_gold;
	if (gold_is_told(m->base_gold) && gold_is_told(m->test_gold)) {
		sum(t, at, FIGURE_BASE_SCORE, base, 1);
		sum(t, at, FIGURE_TEST_SCORE, test, 1);
		sum(t, at, FIGURE_SCORE_SHIFT, 100.0 * (test - base), 1);
		sum(t, at, FIGURE_BROKE, base && !test, 1);
		sum(t, at, FIGURE_FIXED, !base && test, 1);
	}
}

static void add_meaning(
        struct tally *t, const struct place *at, const struct meaning *m, struct tally_facts *facts)
{
	if (!m) {
		return;
	}
	facts->compared = true;
	facts->decided = m->class != MEANING_UNDECIDED;
	facts->changed = is_changed(m);
	meaning_counts_add(&t->meanings, m);
	add_scores(t, at, m, facts);
	sum(t, at, FIGURE_ANSWER_CHANGED, facts->changed, 1);
	sum(t, at, FIGURE_MAY_CHANGE, facts->changed || !facts->decided, 1);
	sum(t, at, FIGURE_UNDECIDED, !facts->decided, 1);
	sum(t, at, FIGURE_SIMILARITY, (double)m->similarity, 1);
	t->tiers[tier_of((double)m->similarity, m->rung == RUNG_BYTES)]++;
}

static void add_answer(struct tally *t, const struct place *at, const struct tally_pair *p)
{
	const struct parting *parting = p->parting;
	const char *base_finish = p->base->finish, *test_finish = p->test->finish;
	sum(t, at, FIGURE_DIFFER, p->differ, 1);
	sum(t, at, FIGURE_TEXT_DIFFERS, !parting->text_equal, 1);
	if (base_finish && test_finish) {
		bool differs = !finish_same(base_finish, test_finish);
		sum(t, at, FIGURE_FINISH_DIFFERS, differs, 1);
	}
	if (p->base_tokens >= 0 && p->test_tokens >= 0) {
		double longer = (double)p->test_tokens - (double)p->base_tokens;
		double less_base = longer + end_token_is_in(p->base);
		double less_test = longer - end_token_is_in(p->test);
		sum(t, at, FIGURE_LENGTH_BIAS, longer, 1);
		sum(t, at, FIGURE_LENGTH_MAGNITUDE, fabs(longer), 1);
		sum(t, at, FIGURE_BIAS_LESS_BASE_END, less_base, 1);
		sum(t, at, FIGURE_MAGNITUDE_LESS_BASE_END, fabs(less_base), 1);
		sum(t, at, FIGURE_BIAS_LESS_TEST_END, less_test, 1);
		sum(t, at, FIGURE_MAGNITUDE_LESS_TEST_END, fabs(less_test), 1);
	}
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

static void add_tokens(struct tally *t, const struct place *at, const struct tally_pair *p,
        struct tally_facts *facts)
{
	const struct parting *parting = p->parting;
	struct tally_sums s = {0};
	facts->parted = parting->tokens_part || !parting->text_equal;
	facts->at_risk = parting->comparable;
	uint32_t equal = parting->comparable - (parting->tokens_part && parting->comparable > 0);
	survival_add(&t->survival, equal, facts->parted);
	s.part[FIGURE_HAZARD] = facts->parted;
	s.whole[FIGURE_HAZARD] = parting->comparable;
	facts->divergence_index = divergence_index(p);
	tally_sum(&s, FIGURE_DIVERGENCE_INDEX, facts->divergence_index);
	tally_walk(t, &s, p, facts);
	for (size_t f = 0; f < N_FIGURES; f++) {
		if (s.whole[f] > 0) {
			sum(t, at, f, s.part[f], s.whole[f]);
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
	struct place at = {.row = clusters_row(t->clusters, pair->cluster)};
	if (pair->seed) {
		at.cell = crossing_note(&t->crossing, N_FIGURE_COLUMNS, pair->cluster, *pair->seed);
	}
	add_answer(t, &at, pair);
	add_meaning(t, &at, pair->meaning, ret);
	if (pair->parting->has_tokens) {
		add_tokens(t, &at, pair, ret);
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
	crossing_merge(&t->crossing, &other->crossing, N_FIGURE_COLUMNS);
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
	crossing_finish(&t->crossing);
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
