#include "analyzer/fold/pair_sums.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "answers/finish.h"

void meaning_counts_add(struct meaning_counts *c, const struct meaning *m)
{
	c->pairs++;
	c->rungs[m->rung]++;
	c->classes[m->class]++;
	gold_add(&c->gold, m->base_gold, m->test_gold);
	c->gold.by_library += m->gold_by_library;
}

/* infer-check's tiers: identical, minor, moderate, severe. */
static size_t tier_of(double similarity, bool identical)
{
	return identical ? 0 : similarity >= 0.8 ? 1 : similarity >= 0.5 ? 2 : 3;
}

/* Where the sums of a pair go. */
struct place {
	uint32_t row;
	struct crossing_cell cell;
};

static void sum(struct pair_sums *t, const struct place *at, size_t f, double part, double whole)
{
	clusters_add(t->clusters, at->row, f, part, whole);
	crossing_add(&t->crossing, at->cell, f, part, whole);
}

static void add_scores(struct pair_sums *t, const struct place *at, const struct meaning *m)
{
	bool base = m->base_gold == GOLD_RIGHT, test = m->test_gold == GOLD_RIGHT;
	if (gold_is_decided(m->base_gold) && gold_is_decided(m->test_gold)) {
		sum(t, at, FIGURE_BASE_SCORE, base, 1);
		sum(t, at, FIGURE_TEST_SCORE, test, 1);
		sum(t, at, FIGURE_SCORE_SHIFT, 100.0 * (test - base), 1);
		sum(t, at, FIGURE_BROKE, base && !test, 1);
		sum(t, at, FIGURE_FIXED, !base && test, 1);
	}
}

static void add_meaning(struct pair_sums *t, const struct place *at, const struct meaning *m,
        const struct pair_facts *facts)
{
	meaning_counts_add(&t->meanings, m);
	add_scores(t, at, m);
	sum(t, at, FIGURE_ANSWER_CHANGED, facts->changed, 1);
	sum(t, at, FIGURE_MAY_CHANGE, facts->changed || !facts->decided, 1);
	sum(t, at, FIGURE_UNDECIDED, !facts->decided, 1);
	sum(t, at, FIGURE_SIMILARITY, (double)m->similarity, 1);
	t->tiers[tier_of((double)m->similarity, m->rung == RUNG_BYTES)]++;
}

static void add_length(
        struct pair_sums *t, const struct place *at, size_t bias, size_t magnitude, double longer)
{
	sum(t, at, bias, longer, 1);
	sum(t, at, magnitude, fabs(longer), 1);
}

static void add_answer(struct pair_sums *t, const struct place *at, const struct comparison *c)
{
	const struct answer *base = &c->base, *test = &c->test;
	sum(t, at, FIGURE_DIFFER, c->differ, 1);
	sum(t, at, FIGURE_TEXT_DIFFERS, !c->text_equal, 1);
	if (base->finish[0] && test->finish[0]) {
		sum(t, at, FIGURE_FINISH_DIFFERS, !finish_same(base->finish, test->finish), 1);
	}
	if (base->tokens >= 0 && test->tokens >= 0) {
		double longer = (double)test->tokens - (double)base->tokens;
		add_length(t, at, FIGURE_LENGTH_BIAS, FIGURE_LENGTH_MAGNITUDE, longer);
		add_length(t, at, FIGURE_BIAS_LESS_BASE_END, FIGURE_MAGNITUDE_LESS_BASE_END,
		        longer + base->ended);
		add_length(t, at, FIGURE_BIAS_LESS_TEST_END, FIGURE_MAGNITUDE_LESS_TEST_END,
		        longer - test->ended);
	}
}

/* Both enums list the figures of positions in the same order. */
_Static_assert(POSITION_KL_RENORMALISED == FIGURE_KL_RENORMALISED - FIGURE_SAME_TOP, "");

static void add_positions(struct pair_sums *t, const struct place *at, const struct positions *p)
{
	uint32_t equal = p->comparable - (p->has_first_token && p->comparable > 0);
	survival_add(&t->survival, equal, p->differ);
	if (p->comparable > 0) {
		sum(t, at, FIGURE_HAZARD, p->differ, p->comparable);
	}
	sum(t, at, FIGURE_DIVERGENCE_INDEX, p->divergence_index, 1);
	for (size_t f = POSITION_SAME_TOP; f <= POSITION_KL_RENORMALISED; f++) {
		const struct position_sum *s = &p->figures[f];
		if (s->n > 0) {
			sum(t, at, FIGURE_SAME_TOP + f, s->sum, (double)s->n);
		}
	}
	signed_histogram_merge(&t->delta_lp, &p->delta_lp);
	signed_histogram_merge(&t->delta_p, &p->delta_p);
	log_histogram_merge(&t->kl_low, &p->kl_low);
	log_histogram_merge(&t->noise, &p->noise);
	log_histogram_merge(&t->gaps, &p->gaps);
	if (p->has_first) {
		first_differences_add(&t->firsts, &p->first);
	}
	t->rank_unlisted += p->rank_unlisted;
	t->hidden_much += p->hidden_much;
}

void pair_sums_add(struct pair_sums *t, const struct pair_row *row, const struct pair_facts *facts)
{
	const uint8_t *cluster = row->exchange.cluster;
	struct place at = {
	        .row = clusters_row(clusters_of(&t->clusters, N_FIGURE_COLUMNS), cluster)};
	if (row->has_seed) {
		at.cell = crossing_cell_for(&t->crossing, N_FIGURE_COLUMNS, cluster, row->seed);
	}
	add_answer(t, &at, &row->c);
	add_meaning(t, &at, &row->c.meaning, facts);
	if (row->c.positions.has_tokens) {
		add_positions(t, &at, &row->c.positions);
	}
}

void pair_sums_finish(struct pair_sums *t)
{
	clusters_destroy(t->clusters);
	crossing_finish(&t->crossing);
	survival_finish(&t->survival);
	first_differences_finish(&t->firsts);
	*t = (struct pair_sums){0};
}
