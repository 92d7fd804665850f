#include "analyzer/tokens/metrics_tokens.h"

#include <math.h>

struct entry {
	struct listed token;
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
		if (listed_is(t->items[i].token, each->token)) {
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
	if (base->n == 0 || test->n == 0 || !listed_identifies(base->items[0].token) ||
	        !listed_identifies(test->items[0].token)) {
		return;
	}
	m->with_top1++;
	m->top1_equal += listed_is(base->items[0].token, test->items[0].token);
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
		if (!listed_identifies(t->items[i].token)) {
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
			both += listed_is(base->items[i].token, test->items[j].token);
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

/* What the functions above say of plain lists. */
static void add_plain(struct metrics *m, const struct position *p)
{
	double lp = p->test[p->best_base];
	m->with_top1++;
	m->top1_equal += p->best_base == p->best_test;
	if (isnan(lp)) {
		m->top1_unlisted++;
	} else {
		moments_add(&m->top1_logprob, lp - p->base[p->best_base]);
	}
	moments_add(&m->jaccard, (double)p->shared / (double)(2 * METRICS_TOP - p->shared));
}

void metrics_add_position(struct metrics *m, const struct listing *base, const struct listing *test,
        const struct position *p, bool equal)
{
	_Static_assert(
	        METRICS_TOP == LISTING_PLAIN, "plain lists are as long as the seeds' figures ask");
	if (p->plain) {
		add_plain(m, p);
	} else {
		struct top b, t;
		top_read(&b, base);
		top_read(&t, test);
		if (listing_tops_are_told(base, test)) {
			add_top1(m, &b, &t, test);
		}
		add_jaccard(m, &b, &t);
		count_few(m, base, test);
	}
	float lp_base = listing_chosen_lp(base), lp_test = listing_chosen_lp(test);
	bool known = equal && listed_identifies(listing_chosen(base));
	if (known && isfinite(lp_base) && isfinite(lp_test)) {
		moments_add(&m->chosen_logprob, (double)lp_test - (double)lp_base);
	}
}

void metrics_add_sheet(struct metrics *m, const struct sheet *s, const struct totals *top_change,
        const struct totals *jaccard, double same_top)
{
	struct totals chosen;
	m->with_top1 += s->n;
	m->top1_equal += (uint64_t)same_top;
	m->top1_unlisted += s->n - top_change->n;
	moments_add_all(&m->top1_logprob, top_change);
	moments_add_all(&m->jaccard, jaccard);
	totals_moments(s->change, s->n, &chosen);
	moments_add_all(&m->chosen_logprob, &chosen);
}
