#include "analyzer/compare/tokens/metrics_tokens.h"

#include <math.h>

static void add_top1(struct metrics *m, const struct position *p)
{
	if (p->best_base == POSITION_NONE || p->best_test == POSITION_NONE) {
		return;
	}
	double lp = p->test[p->best_base];
	m->with_top1++;
	m->top1_equal += p->best_base == p->best_test;
	if (isnan(lp)) {
		m->top1_unlisted++;
	} else {
		moments_add(&m->top1_logprob, lp - p->base[p->best_base]);
	}
}

static void add_jaccard(struct metrics *m, const struct position *p)
{
	if (position_k(p) >= METRICS_TOP) {
		moments_add(&m->jaccard, position_jaccard(p, METRICS_TOP));
	} else if (!position_is_bare(p)) {
		m->jaccard_short++;
	}
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

void metrics_add_position(struct metrics *m, const struct listing *base, const struct listing *test,
        const struct position *p, bool equal)
{
	if (listing_tops_are_told(base, test)) {
		add_top1(m, p);
	}
	add_jaccard(m, p);
	count_few(m, base, test);
	float lp_base = listing_chosen_lp(base), lp_test = listing_chosen_lp(test);
	bool known = equal && listing_identifies(listing_chosen(base));
	if (known && isfinite(lp_base) && isfinite(lp_test)) {
		moments_add(&m->chosen_logprob, (double)lp_test - (double)lp_base);
	}
}
