#include "analyzer/fold/pair_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answers/finish.h"
#include "base/check.h"
#include "base/k_smallest.h"

void meaning_counts_add(struct meaning_counts *c, const struct meaning *m)
{
	c->pairs++;
	c->rungs[m->rung]++;
	c->classes[m->class]++;
	c->one_cut += m->class == MEANING_STRUCTURAL && m->marks & MEANING_MARK_TRUNCATED;
	gold_add(&c->gold, m->base_gold, m->test_gold);
	c->gold.by_library += m->gold_by_library;
}

/* infer-check's tiers: identical, minor, moderate, severe. */
static size_t tier_of(double similarity, bool identical)
{
	return identical ? 0 : similarity >= 0.8 ? 1 : similarity >= 0.5 ? 2 : 3;
}

static void add_lengths(struct lengths *l, uint64_t base, uint64_t test)
{
	double difference = (double)test - (double)base;
	l->n++;
	exact_sum_add(&l->bias, difference);
	exact_sum_add(&l->magnitude, fabs(difference));
	exact_sum_add(&l->base, (double)base);
	exact_sum_add(&l->test, (double)test);
}

static int by_name(const void *a, const void *b)
{
	const struct finish_count *x = a, *y = b;
	int order = strcmp(x->base, y->base);
	return order ? order : strcmp(x->test, y->test);
}

static void drop(void *item, void *arg)
{
	struct pair_sums *t = arg;
	t->finishes_beyond += ((struct finish_count *)item)->n;
}

static const struct k_smallest FINISHES = {
        sizeof(struct finish_count), PAIR_SUMS_FINISHES, by_name, drop};

static void count_finish(
        struct pair_sums *t, const struct answer_facts *base, const struct answer_facts *test)
{
	struct finish_count like = {0};
	memcpy(like.base, base->finish, sizeof(like.base));
	memcpy(like.test, test->finish, sizeof(like.test));
	struct finish_count *item =
	        k_smallest_place(&FINISHES, &t->finishes, &t->n_finishes, &like, t, NULL);
	++*(item ? &item->n : &t->finishes_beyond);
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

static void add_meaning(struct pair_sums *t, const struct place *at, const struct meaning *m,
        const struct pair_facts *facts)
{
	bool base = m->base_gold == GOLD_RIGHT, test = m->test_gold == GOLD_RIGHT;
	meaning_counts_add(&t->meanings, m);
	if (gold_is_decided(m->base_gold) && gold_is_decided(m->test_gold)) {
		sum(t, at, FIGURE_BASE_SCORE, base, 1);
		sum(t, at, FIGURE_TEST_SCORE, test, 1);
		sum(t, at, FIGURE_SCORE_SHIFT, 100.0 * (test - base), 1);
		sum(t, at, FIGURE_BROKE, base && !test, 1);
		sum(t, at, FIGURE_FIXED, !base && test, 1);
	}
	sum(t, at, FIGURE_ANSWER_CHANGED, facts->changed, 1);
	sum(t, at, FIGURE_MAY_CHANGE, facts->changed || !facts->decided, 1);
	sum(t, at, FIGURE_UNDECIDED, !facts->decided, 1);
	sum(t, at, FIGURE_SIMILARITY, (double)m->similarity, 1);
	t->tiers[tier_of((double)m->similarity, m->rung == RUNG_BYTES)]++;
}

/* Adds the numbers of tokens to the lengths, and to the two columns from `bias` on. */
static void add_tokens(struct pair_sums *t, const struct place *at, size_t bias, struct lengths *l,
        uint64_t base, uint64_t test)
{
	double longer = (double)test - (double)base;
	sum(t, at, bias, longer, 1);
	sum(t, at, bias + 1, fabs(longer), 1);
	add_lengths(l, base, test);
}

/* The first column of each length is followed by that of its magnitude. */
_Static_assert(FIGURE_LENGTH_MAGNITUDE == FIGURE_LENGTH_BIAS + 1 &&
                       FIGURE_MAGNITUDE_LESS_BASE_END == FIGURE_BIAS_LESS_BASE_END + 1 &&
                       FIGURE_MAGNITUDE_LESS_TEST_END == FIGURE_BIAS_LESS_TEST_END + 1,
        "");

static void add_answer(struct pair_sums *t, const struct place *at, const struct comparison *c)
{
	const struct answer_facts *base = &c->base, *test = &c->test;
	t->pairs++;
	t->equal += !c->differ;
	t->with_calls += c->has_calls;
	t->calls_equal += c->has_calls && c->calls_equal;
	sum(t, at, FIGURE_DIFFER, c->differ, 1);
	sum(t, at, FIGURE_TEXT_DIFFERS, !c->text_equal, 1);
	if (!c->text_equal) {
		histogram_add(&t->first_byte, c->first_byte);
	}
	add_lengths(&t->bytes, base->text_bytes, test->text_bytes);
	if (base->reasoning_bytes > 0 || test->reasoning_bytes > 0) {
		t->with_reasoning++;
		t->reasoning_equal += c->reasoning_equal;
		add_lengths(&t->reasoning_bytes, base->reasoning_bytes, test->reasoning_bytes);
	}
	if (base->finish[0] && test->finish[0]) {
		sum(t, at, FIGURE_FINISH_DIFFERS, !finish_same(base->finish, test->finish), 1);
		count_finish(t, base, test);
	}
	if (base->tokens >= 0 && test->tokens >= 0) {
		uint64_t b = (uint64_t)base->tokens, e = (uint64_t)test->tokens;
		add_tokens(t, at, FIGURE_LENGTH_BIAS, &t->tokens, b, e);
		add_tokens(t, at, FIGURE_BIAS_LESS_BASE_END, &t->less_base_end,
		        b - (b > 0 && base->ended), e);
		add_tokens(t, at, FIGURE_BIAS_LESS_TEST_END, &t->less_test_end, b,
		        e - (e > 0 && test->ended));
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
	if (p->has_first_token) {
		histogram_add(&t->first_token, p->first_token);
	}
	const struct position_sum *top1 = &p->figures[POSITION_TOP1_DELTA];
	const struct position_sum *change = &p->figures[POSITION_DELTA_P];
	moments_add_sums(
	        &t->top1_logprob, top1->n, top1->sum, p->figures[POSITION_TOP1_SQUARE].sum);
	moments_add_sums(
	        &t->p_change, change->n, change->sum, p->figures[POSITION_DELTA_P_SQUARE].sum);
	t->rank_unlisted += p->rank_unlisted;
	t->missing_much += p->missing_much;
	t->top1_unlisted += p->top1_unlisted;
	t->top5_short += p->top5_short;
	t->few += p->few;
	t->few_base += p->few_base;
	t->few_test += p->few_test;
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
	histogram_finish(&t->first_byte);
	histogram_finish(&t->first_token);
	free(t->finishes);
	*t = (struct pair_sums){0};
}
