#include "analyzer/metrics_tokens.h"

#include <math.h>
#include <string.h>

struct entry {
	struct span bytes;
	float lp;
};

/* The most probable alternatives of one position, best first, each once. */
struct top {
	struct entry items[METRICS_TOP];
	size_t n;
};

struct rows {
	uint32_t from, to;
};

static struct rows rows_of(const struct columns *c, uint32_t token)
{
	return (struct rows){token ? c->top_end[token - 1] : 0, c->top_end[token]};
}

/* A token without bytes, or one whose bytes were lost on the way, may be any of several. */
static bool identifies(struct span bytes)
{
	/* Few tokens have the first byte, and memmem() is slow to start. */
	const char *first = bytes.len > 0 ? memchr(bytes.data, 0xef, bytes.len) : NULL;
	size_t rest = first ? (size_t)(bytes.data + bytes.len - first) : 0;
	return bytes.len > 0 && !(first && memmem(first, rest, "\xef\xbf\xbd", 3));
}

static void top_insert(struct top *t, struct entry e)
{
	size_t at = t->n;
	for (size_t i = 0; i < t->n; i++) {
		if (span_equal(t->items[i].bytes, e.bytes)) {
			return;
		}
	}
	while (at > 0 && t->items[at - 1].lp < e.lp) {
		at--;
	}
	if (at == METRICS_TOP) {
		return;
	}
	size_t moved = MIN(t->n, (size_t)METRICS_TOP - 1) - at;
	memmove(&t->items[at + 1], &t->items[at], moved * sizeof(e));
	t->items[at] = e;
	t->n = MIN(t->n + 1, (size_t)METRICS_TOP);
}

static struct top top_of(const struct columns *c, uint32_t token)
{
	struct top t = {.n = 0};
	struct rows rows = rows_of(c, token);
	for (uint32_t row = rows.from; row < rows.to; row++) {
		if (isfinite(c->top_lp[row])) {
			top_insert(&t, (struct entry){columns_top_token(c, row), c->top_lp[row]});
		}
	}
	return t;
}

float metrics_logprob_of(const struct columns *c, uint32_t token, struct span bytes)
{
	struct rows rows = rows_of(c, token);
	for (uint32_t row = rows.from; row < rows.to; row++) {
		if (isfinite(c->top_lp[row]) && span_equal(columns_top_token(c, row), bytes)) {
			return c->top_lp[row];
		}
	}
	if (span_equal(columns_token(c, token), bytes) && isfinite(c->lp[token])) {
		return c->lp[token];
	}
	return NAN;
}

static void add_top1(struct metrics *m, const struct top *base, const struct top *test,
        const struct columns *test_columns, uint32_t at_test)
{
	if (base->n == 0 || test->n == 0 || !identifies(base->items[0].bytes) ||
	        !identifies(test->items[0].bytes)) {
		return;
	}
	m->with_top1++;
	m->top1_equal += span_equal(base->items[0].bytes, test->items[0].bytes);
	float lp = metrics_logprob_of(test_columns, at_test, base->items[0].bytes);
	if (isnan(lp)) {
		m->top1_unlisted++;
	} else {
		moments_add(&m->top1_logprob, (double)lp - (double)base->items[0].lp);
	}
}

static bool is_full(const struct top *t)
{
	for (size_t i = 0; i < t->n; i++) {
		if (!identifies(t->items[i].bytes)) {
			return false;
		}
	}
	return t->n == METRICS_TOP;
}

static void add_jaccard(struct metrics *m, const struct top *base, const struct top *test)
{
	if (base->n == 0 || test->n == 0) {
		return;
	}
	if (!is_full(base) || !is_full(test)) {
		m->jaccard_short++;
		return;
	}
	size_t both = 0;
	for (size_t i = 0; i < METRICS_TOP; i++) {
		for (size_t j = 0; j < METRICS_TOP; j++) {
			both += span_equal(base->items[i].bytes, test->items[j].bytes);
		}
	}
	moments_add(&m->jaccard, (double)both / (double)(2 * METRICS_TOP - both));
}

void metrics_add_tokens(struct metrics *m, const struct columns *base, const struct columns *test)
{
	struct parting_walk w = {0};
	while (parting_walk_next(base, test, &w)) {
		struct top b = top_of(base, w.a), t = top_of(test, w.b);
		add_top1(m, &b, &t, test, w.b);
		add_jaccard(m, &b, &t);
		float lp_base = base->lp[w.a], lp_test = test->lp[w.b];
		bool known = w.equal && identifies(columns_token(base, w.a));
		if (known && isfinite(lp_base) && isfinite(lp_test)) {
			moments_add(&m->chosen_logprob, (double)lp_test - (double)lp_base);
		}
	}
}
