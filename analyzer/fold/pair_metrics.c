#include "analyzer/fold/pair_metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answers/finish.h"
#include "base/k_smallest.h"

static void add_lengths(struct lengths *l, uint64_t base, uint64_t test)
{
	double difference = (double)test - (double)base;
	l->n++;
	exact_sum_add(&l->bias, difference, &l->losses);
	exact_sum_add(&l->magnitude, fabs(difference), &l->losses);
	exact_sum_add(&l->base, (double)base, &l->losses);
	exact_sum_add(&l->test, (double)test, &l->losses);
}

static int by_name(const void *a, const void *b)
{
	const struct finish_count *x = a, *y = b;
	int order = strcmp(x->base, y->base);
	return order ? order : strcmp(x->test, y->test);
}

static void drop(void *item, void *arg)
{
	struct pair_metrics *m = arg;
	m->finishes_beyond += ((struct finish_count *)item)->n;
}

static const struct k_smallest FINISHES = {
        sizeof(struct finish_count), PAIR_METRICS_FINISHES, by_name, drop};

static void count_finish(
        struct pair_metrics *m, const struct answer *base, const struct answer *test)
{
	struct finish_count like = {0};
	size_t at;
	bool is_new;
	memcpy(like.base, base->finish, sizeof(like.base));
	memcpy(like.test, test->finish, sizeof(like.test));
	m->finishes =
	        k_smallest_place(&FINISHES, m->finishes, &m->n_finishes, &like, m, &at, &is_new);
	++*(at < m->n_finishes ? &m->finishes[at].n : &m->finishes_beyond);
}

static void add_texts(struct pair_metrics *m, const struct comparison *c)
{
	const struct answer *base = &c->base, *test = &c->test;
	m->pairs++;
	m->text_equal += c->text_equal;
	m->equal += !c->differ;
	m->with_calls += c->has_calls;
	m->calls_equal += c->has_calls && c->calls_equal;
	if (!c->text_equal) {
		histogram_add(&m->first_byte, c->first_byte);
	}
	add_lengths(&m->bytes, base->text_bytes, test->text_bytes);
	if (base->reasoning_bytes > 0 || test->reasoning_bytes > 0) {
		m->with_reasoning++;
		m->reasoning_equal += c->reasoning_equal;
		add_lengths(&m->reasoning_bytes, base->reasoning_bytes, test->reasoning_bytes);
	}
	if (base->finish[0] && test->finish[0]) {
		m->with_finish++;
		m->finish_equal += finish_same(base->finish, test->finish);
		count_finish(m, base, test);
	}
}

static void add_moments(
        struct moments *m, const struct position_sum *sum, const struct position_sum *squares)
{
	m->n += sum->n;
	exact_sum_add(&m->sum, sum->sum, &m->losses);
	exact_sum_add(&m->squares, squares->sum, &m->losses);
}

static void add_positions(struct pair_metrics *m, const struct positions *p)
{
	const struct position_sum *f = p->figures;
	m->with_tokens++;
	m->diverged += p->differ;
	m->at_risk += p->comparable;
	if (p->has_first_token) {
		histogram_add(&m->first_token, p->first_token);
	}
	moments_add(&m->divergence_index, p->divergence_index);
	m->with_top1 += f[POSITION_SAME_TOP].n;
	m->top1_equal += (uint64_t)f[POSITION_SAME_TOP].sum;
	m->top1_unlisted += p->top1_unlisted;
	add_moments(&m->top1_logprob, &f[POSITION_TOP1_DELTA], &f[POSITION_TOP1_SQUARE]);
	m->jaccard.n += f[POSITION_JACCARD_5].n;
	exact_sum_add(&m->jaccard.sum, f[POSITION_JACCARD_5].sum, &m->jaccard.losses);
	m->jaccard_short += p->top5_short;
	m->few += p->few;
	m->few_base += p->few_base;
	m->few_test += p->few_test;
	add_moments(&m->chosen_logprob, &f[POSITION_DELTA_LP], &f[POSITION_DELTA_LP_SQUARE]);
	add_moments(&m->delta_p, &f[POSITION_DELTA_P], &f[POSITION_DELTA_P_SQUARE]);
}

void pair_metrics_add(struct pair_metrics *m, const struct comparison *c)
{
	int64_t base = c->base.tokens, test = c->test.tokens;
	add_texts(m, c);
	if (base >= 0 && test >= 0) {
		uint64_t b = (uint64_t)base, t = (uint64_t)test;
		add_lengths(&m->tokens, b, t);
		add_lengths(&m->less_base_end, b - (b > 0 && c->base.ended), t);
		add_lengths(&m->less_test_end, b, t - (t > 0 && c->test.ended));
	}
	if (c->positions.has_tokens) {
		add_positions(m, &c->positions);
	}
}

void pair_metrics_finish(struct pair_metrics *m)
{
	histogram_finish(&m->first_byte);
	histogram_finish(&m->first_token);
	free(m->finishes);
	*m = (struct pair_metrics){0};
}
