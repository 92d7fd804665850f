#include "analyzer/stats/survival.h"

#include <stddef.h>

void survival_add(struct survival *s, uint64_t at, bool parted)
{
	histogram_add(parted ? &s->parted : &s->whole, at);
}

void survival_merge(struct survival *s, const struct survival *other)
{
	histogram_merge(&s->parted, &other->parted);
	histogram_merge(&s->whole, &other->whole);
}

void survival_finish(struct survival *s)
{
	histogram_finish(&s->parted);
	histogram_finish(&s->whole);
}

/* Those that parted at t were identical in their first t tokens and at risk in the next one. */
void survival_steps(const struct survival *s, survival_step_fn step, void *arg)
{
	uint64_t at_risk = s->parted.n + s->whole.n;
	struct histogram_bin parted = {0}, whole = {0};
	bool has_whole = histogram_next(&s->whole, &whole);
	double share = 1;
	while (histogram_next(&s->parted, &parted)) {
		for (; has_whole && whole.low < parted.low;
		        has_whole = histogram_next(&s->whole, &whole)) {
			at_risk -= whole.n;
		}
		share *= 1 - (double)parted.n / (double)at_risk;
		step(arg, parted.low + 1, share, at_risk);
		at_risk -= parted.n;
	}
}

static void note_median(void *arg, uint64_t tokens, double share, uint64_t at_risk)
{
	uint64_t *median = arg;
	if (share < 0.5 && *median == UINT64_MAX) {
		*median = tokens;
	}
}

uint64_t survival_median(const struct survival *s)
{
	uint64_t median = UINT64_MAX;
	survival_steps(s, note_median, &median);
	return median;
}
