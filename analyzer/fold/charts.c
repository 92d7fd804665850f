#include "analyzer/fold/charts.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/k_smallest.h"
#include "base/rng.h"

static int by_hash(const void *a, const void *b)
{
	const struct scatter_point *x = a, *y = b;
	int order = (x->hash > y->hash) - (x->hash < y->hash);
	order = order ? order : id_compare(x->exchange, y->exchange);
	order = order ? order : (x->x > y->x) - (x->x < y->x);
	order = order ? order : (x->y > y->y) - (x->y < y->y);
	return order ? order : (x->marks > y->marks) - (x->marks < y->marks);
}

void scatter_add(struct scatter *s, uint64_t key, struct scatter_point point)
{
	static const struct k_smallest LIST = {sizeof(point), SCATTER_SIZE, by_hash, NULL};
	point.hash = rng_mix(key);
	s->n++;
	(void)k_smallest_place(&LIST, &s->points, &s->kept, &point, NULL, NULL);
}

void scatter_finish(struct scatter *s)
{
	free(s->points);
	*s = (struct scatter){0};
}

static uint32_t marks_of(const struct pair_facts *facts)
{
	return (facts->differ ? CHART_DIFFER : 0) | (facts->changed ? CHART_CHANGED : 0);
}

static void add_gap(struct charts *c, const struct pair_row *row, const struct pair_facts *facts)
{
	const struct first *first = &facts->first;
	struct scatter_point point = {
	        .exchange = row->exchange.id,
	        .x = (float)first->base_gap,
	        .y = (float)first->test_gap,
	        .marks = marks_of(facts) | (first->base_censored ? CHART_BASE_CENSORED : 0) |
	                 (first->test_censored ? CHART_TEST_CENSORED : 0),
	};
	if (isfinite(point.x) && isfinite(point.y)) {
		scatter_add(&c->gaps, pair_row_key(row), point);
	}
}

static void add_lengths(
        struct charts *c, const struct pair_row *row, const struct pair_facts *facts)
{
	const struct answer_facts *base = &row->c.base, *test = &row->c.test;
	struct scatter_point point = {
	        .exchange = row->exchange.id,
	        .x = (float)base->tokens,
	        .y = (float)test->tokens,
	        .marks = marks_of(facts) | (base->ended ? CHART_BASE_ENDED : 0) |
	                 (test->ended ? CHART_TEST_ENDED : 0),
	};
	scatter_add(&c->lengths, pair_row_key(row), point);
}

void charts_add(struct charts *c, const struct pair_row *row, const struct pair_facts *facts)
{
	const struct timeline_answer answer = {
	        .time = row->test.start_ns / SECOND_NS,
	        .exchange = row->exchange.id,
	        .differs = facts->differ,
	        .changed = facts->changed,
	};
	timeline_add(&c->timeline, CHARTS_TIME_BINS, &answer);
	if (facts->has_first) {
		add_gap(c, row, facts);
	}
	if (row->c.base.tokens >= 0 && row->c.test.tokens >= 0) {
		add_lengths(c, row, facts);
	}
}

void charts_subtract_end_token(struct charts *c, enum end_token end)
{
	for (size_t i = 0; i < c->lengths.kept; i++) {
		struct scatter_point *p = &c->lengths.points[i];
		p->x -= end == END_TOKEN_OF_BASE && (p->marks & CHART_BASE_ENDED);
		p->y -= end == END_TOKEN_OF_TEST && (p->marks & CHART_TEST_ENDED);
	}
}

void charts_finish(struct charts *c)
{
	timeline_finish(&c->timeline);
	scatter_finish(&c->gaps);
	scatter_finish(&c->lengths);
}

enum first_verdict charts_verdict(const struct scatter_point *gap, const struct first_scale *scale)
{
	struct first first = {
	        .test_gap = (double)gap->y,
	        .base_gap = (double)gap->x,
	        .test_censored = (gap->marks & CHART_TEST_CENSORED) != 0,
	        .base_censored = (gap->marks & CHART_BASE_CENSORED) != 0,
	};
	first.shift = fmax(first.test_gap, 0) + fmax(first.base_gap, 0);
	return first_judge(&first, scale);
}
