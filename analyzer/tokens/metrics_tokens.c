#include "analyzer/tokens/metrics_tokens.h"

#include <math.h>

struct entry {
	struct span token;
	float lp;
};

/* The most probable alternatives of one position, best first, each once. */
struct top {
	struct entry items[METRICS_TOP];
	size_t n;
};

static void top_insert(struct top *t, const struct entry *each)
{
	size_t at = t->n;
	for (size_t i = 0; i < t->n; i++) {
		if (span_equal(t->items[i].token, each->token)) {
			return;
		}
	}
	while (at > 0 && t->items[at - 1].lp < each->lp) {
		at--;
	}
	if (at == METRICS_TOP) {
		return;
	}
	t->n = MIN(t->n + 1, (size_t)METRICS_TOP);
	for (size_t i = t->n - 1; i > at; i--) {
		t->items[i] = t->items[i - 1];
	}
	t->items[at] = *each;
}

static void top_read(struct top *t, const struct listing *l)
{
	t->n = 0;
	for (uint32_t row = l->from; row < l->to; row++) {
		const struct entry each = {listing_row(l, row), listing_lp(l, row)};
		if (isfinite(each.lp)) {
			top_insert(t, &each);
		}
	}
}

static void add_top1(struct metrics *m, const struct top *base, const struct top *test,
        const struct listing *test_listing)
{
	if (base->n == 0 || test->n == 0 || !listing_identifies(base->items[0].token) ||
	        !listing_identifies(test->items[0].token)) {
		return;
	}
	m->with_top1++;
	m->top1_equal += span_equal(base->items[0].token, test->items[0].token);
	float lp = listing_logprob(test_listing, base->items[0].token);
	if (isnan(lp)) {
		m->top1_unlisted++;
	} else {
		moments_add(&m->top1_logprob, (double)lp - (double)base->items[0].lp);
	}
}

static bool is_full(const struct top *t)
{
	for (size_t i = 0; i < t->n; i++) {
		if (!listing_identifies(t->items[i].token)) {
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
			both += span_equal(base->items[i].token, test->items[j].token);
		}
	}
	moments_add(&m->jaccard, (double)both / (double)(2 * METRICS_TOP - both));
}

/* Lists that were too short as they came, whatever their numbers are worth. */
static void count_few(struct metrics *m, const struct listing *base, const struct listing *test)
{
	uint32_t b = base->to - base->from, t = test->to - test->from;
	if (b > 0 && t > 0) {
		m->few += b < METRICS_TOP || t < METRICS_TOP;
		m->few_base += b < METRICS_TOP;
		m->few_test += t < METRICS_TOP;
	}
}

void metrics_add_position(
        struct metrics *m, const struct listing *base, const struct listing *test, bool equal)
{
	struct top b, t;
	top_read(&b, base);
	top_read(&t, test);
	if (listing_tops_are_told(base, test)) {
		add_top1(m, &b, &t, test);
	}
	add_jaccard(m, &b, &t);
	count_few(m, base, test);
	float lp_base = listing_chosen_lp(base), lp_test = listing_chosen_lp(test);
	bool known = equal && listing_identifies(listing_chosen(base));
	if (known && isfinite(lp_base) && isfinite(lp_test)) {
		moments_add(&m->chosen_logprob, (double)lp_test - (double)lp_base);
	}
}
