#include "analyzer/metrics.h"

#include <math.h>
#include <string.h>

#include "analyzer/metrics_tokens.h"

static void add_lengths(struct lengths *l, uint64_t base, uint64_t test)
{
	double difference = (double)test - (double)base;
	l->n++;
	l->bias += difference;
	l->magnitude += fabs(difference);
	l->base += (double)base;
	l->test += (double)test;
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

static void count_finish(struct metrics *m, const char *base, const char *test)
{
	char b[METRICS_FINISH_SIZE], t[METRICS_FINISH_SIZE];
	copy_printable(b, base);
	copy_printable(t, test);
	for (size_t i = 0; i < m->n_finishes; i++) {
		struct finish_count *f = &m->finishes[i];
		if (strcmp(f->base, b) == 0 && strcmp(f->test, t) == 0) {
			f->n++;
			return;
		}
	}
	if (m->n_finishes == METRICS_FINISHES) {
		m->finishes_beyond++;
		return;
	}
	struct finish_count *f = &m->finishes[m->n_finishes++];
	memcpy(f->base, b, sizeof(b));
	memcpy(f->test, t, sizeof(t));
	f->n = 1;
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
		m->finish_equal += strcmp(base->finish, test->finish) == 0;
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
	parting_find(base, test, &parting);
	add_texts(m, base, test, &parting);
	if (base_tokens >= 0 && test_tokens >= 0) {
		add_lengths(&m->tokens, (uint64_t)base_tokens, (uint64_t)test_tokens);
	}
	if (!parting.has_tokens) {
		return;
	}
	m->with_tokens++;
	m->diverged += parting.tokens_part || !parting.text_equal;
	m->at_risk += parting.comparable;
	if (parting.tokens_part) {
		spread_add(&m->first_token, parting.first_token);
	}
	moments_add(&m->divergence_index, divergence_index(base, test, &parting));
	metrics_add_tokens(m, &base->columns, &test->columns);
}
