#include "analyzer/compare/tokens/metrics.h"

#include <math.h>
#include <string.h>

#include "analyzer/compare/tokens/end_token.h"
#include "analyzer/compare/tokens/metrics_tokens.h"
#include "reading/finish.h"

static void add_lengths(struct lengths *l, uint64_t base, uint64_t test)
{
	double difference = (double)test - (double)base;
	l->n++;
	exact_sum_add(&l->bias, difference, &l->losses);
	exact_sum_add(&l->magnitude, fabs(difference), &l->losses);
	exact_sum_add(&l->base, (double)base, &l->losses);
	exact_sum_add(&l->test, (double)test, &l->losses);
}

static bool same_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool same_calls(const struct choice *a, const struct choice *b)
{
	if (a->n_calls != b->n_calls) {
		return false;
	}
	for (size_t i = 0; i < a->n_calls; i++) {
		if (!same_text(a->calls[i].name, b->calls[i].name) ||
		        !same_text(a->calls[i].arguments, b->calls[i].arguments)) {
			return false;
		}
	}
	return true;
}

static bool same_bytes(const struct buf *a, const struct buf *b)
{
	return span_equal(buf_span(a), buf_span(b));
}

/* The reason comes from an engine and goes to a terminal. */
static void copy_printable(char to[METRICS_FINISH_SIZE], const char *from)
{
	size_t n = 0;
	for (; *from && n < METRICS_FINISH_SIZE - 1; from++) {
		to[n++] = *from >= ' ' && *from <= '~' ? *from : '?';
	}
	to[n] = '\0';
}

/* b and t: METRICS_FINISH_SIZE bytes. */
static void count_finishes(struct metrics *m, const char *b, const char *t, uint64_t n)
{
	for (size_t i = 0; i < m->n_finishes; i++) {
		struct finish_count *f = &m->finishes[i];
		if (strcmp(f->base, b) == 0 && strcmp(f->test, t) == 0) {
			f->n += n;
			return;
		}
	}
	if (m->n_finishes == METRICS_FINISHES) {
		m->finishes_beyond += n;
		return;
	}
	struct finish_count *f = &m->finishes[m->n_finishes++];
	memcpy(f->base, b, METRICS_FINISH_SIZE);
	memcpy(f->test, t, METRICS_FINISH_SIZE);
	f->n = n;
}

static void count_finish(struct metrics *m, const char *base, const char *test)
{
	char b[METRICS_FINISH_SIZE] = {0}, t[METRICS_FINISH_SIZE] = {0};
	copy_printable(b, base);
	copy_printable(t, test);
	count_finishes(m, b, t, 1);
}

static void add_texts(struct metrics *m, const struct choice *base, const struct choice *test,
        const struct parting *parting)
{
	bool calls = base->n_calls > 0 || test->n_calls > 0;
	bool calls_equal = same_calls(base, test);
	m->pairs++;
	m->text_equal += parting->text_equal;
	m->equal +=
	        parting->text_equal && calls_equal && same_bytes(&base->refusal, &test->refusal);
	m->with_calls += calls;
	m->calls_equal += calls && calls_equal;
	if (!parting->text_equal) {
		spread_add(&m->first_byte, parting->first_byte);
	}
	add_lengths(&m->bytes, base->text.len, test->text.len);
	if (base->reasoning.len > 0 || test->reasoning.len > 0) {
		m->with_reasoning++;
		m->reasoning_equal += same_bytes(&base->reasoning, &test->reasoning);
		add_lengths(&m->reasoning_bytes, base->reasoning.len, test->reasoning.len);
	}
	if (base->finish && test->finish) {
		m->with_finish++;
		m->finish_equal += finish_same(base->finish, test->finish);
		count_finish(m, base->finish, test->finish);
	}
}

/* Where the tokens part as a share of the base's length, as the paper has it; an equal answer
 * has 1. */
static double divergence_index(
        const struct choice *base, const struct choice *test, const struct parting *parting)
{
	if (!parting->tokens_part && parting->text_equal) {
		return 1;
	}
	uint32_t at =
	        parting->tokens_part ? parting->first_token : MIN(base->columns.n, test->columns.n);
	return base->columns.n ? fmin(1, (double)at / base->columns.n) : 0;
}

void metrics_add(struct metrics *m, const struct choice *base, const struct choice *test,
        int64_t base_tokens, int64_t test_tokens)
{
	struct parting parting;
	struct listing_walk w;
	struct position p;
	parting_find(base, test, &parting);
	metrics_add_answer(m, base, test, base_tokens, test_tokens, &parting);
	if (!parting.has_tokens) {
		return;
	}
	listing_walk_begin(&w, &base->columns, &test->columns);
	while (listing_walk_next(&w)) {
		position_read(&w.base, &w.test, &p);
		metrics_add_position(m, &w.base, &w.test, &p, w.at.equal);
	}
}

void metrics_add_answer(struct metrics *m, const struct choice *base, const struct choice *test,
        int64_t base_tokens, int64_t test_tokens, const struct parting *parting)
{
	add_texts(m, base, test, parting);
	if (base_tokens >= 0 && test_tokens >= 0) {
		uint64_t b = (uint64_t)base_tokens, t = (uint64_t)test_tokens;
		add_lengths(&m->tokens, b, t);
		add_lengths(&m->less_base_end, b - (b > 0 && end_token_is_in(base)), t);
		add_lengths(&m->less_test_end, b, t - (t > 0 && end_token_is_in(test)));
	}
	if (!parting->has_tokens) {
		return;
	}
	m->with_tokens++;
	m->diverged += parting->tokens_part || !parting->text_equal;
	m->at_risk += parting->comparable;
	if (parting->tokens_part) {
		spread_add(&m->first_token, parting->first_token);
	}
	moments_add(&m->divergence_index, divergence_index(base, test, parting));
}

static void merge_lengths(struct lengths *l, const struct lengths *other)
{
	l->n += other->n;
	exact_sum_merge(&l->bias, &other->bias);
	exact_sum_merge(&l->magnitude, &other->magnitude);
	exact_sum_merge(&l->base, &other->base);
	exact_sum_merge(&l->test, &other->test);
	exact_losses_merge(&l->losses, &other->losses);
}

static void merge_texts(struct metrics *m, const struct metrics *other)
{
	m->pairs += other->pairs;
	m->equal += other->equal;
	m->text_equal += other->text_equal;
	m->with_calls += other->with_calls;
	m->calls_equal += other->calls_equal;
	m->with_reasoning += other->with_reasoning;
	m->reasoning_equal += other->reasoning_equal;
	spread_merge(&m->first_byte, &other->first_byte);
	merge_lengths(&m->bytes, &other->bytes);
	merge_lengths(&m->tokens, &other->tokens);
	merge_lengths(&m->less_base_end, &other->less_base_end);
	merge_lengths(&m->less_test_end, &other->less_test_end);
	merge_lengths(&m->reasoning_bytes, &other->reasoning_bytes);
	m->with_finish += other->with_finish;
	m->finish_equal += other->finish_equal;
	for (size_t i = 0; i < other->n_finishes; i++) {
		const struct finish_count *f = &other->finishes[i];
		count_finishes(m, f->base, f->test, f->n);
	}
	m->finishes_beyond += other->finishes_beyond;
}

void metrics_merge(struct metrics *m, const struct metrics *other)
{
	merge_texts(m, other);
	m->with_tokens += other->with_tokens;
	m->diverged += other->diverged;
	m->at_risk += other->at_risk;
	spread_merge(&m->first_token, &other->first_token);
	moments_merge(&m->divergence_index, &other->divergence_index);
	m->with_top1 += other->with_top1;
	m->top1_equal += other->top1_equal;
	moments_merge(&m->top1_logprob, &other->top1_logprob);
	m->top1_unlisted += other->top1_unlisted;
	moments_merge(&m->jaccard, &other->jaccard);
	m->jaccard_short += other->jaccard_short;
	m->few += other->few;
	m->few_base += other->few_base;
	m->few_test += other->few_test;
	moments_merge(&m->chosen_logprob, &other->chosen_logprob);
}
