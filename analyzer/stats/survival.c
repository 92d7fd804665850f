#include "analyzer/stats/survival.h"

#include <stddef.h>

void survival_add(struct survival *s, uint64_t at, bool differs)
{
	histogram_add(differs ? &s->events : &s->censored, at);
}

void survival_finish(struct survival *s)
{
	histogram_finish(&s->events);
	histogram_finish(&s->censored);
}

/* Pairs with their first difference at t were identical in their first t tokens and at risk in
 * the next one. */
void survival_steps(const struct survival *s, survival_step_fn step, void *arg)
{
	uint64_t at_risk = s->events.n + s->censored.n;
	struct histogram_bin event = {0}, censored = {0};
	bool has_censored = histogram_next(&s->censored, &censored);
	double share = 1;
	while (histogram_next(&s->events, &event)) {
		for (; has_censored && censored.low < event.low;
		        has_censored = histogram_next(&s->censored, &censored)) {
			at_risk -= censored.n;
		}
		share *= 1 - (double)event.n / (double)at_risk;
		step(arg, event.low + 1, share, at_risk);
		at_risk -= event.n;
	}
}

static void find_median(void *arg, uint64_t tokens, double share, uint64_t at_risk)
{
	uint64_t *median = arg;
	if (share < 0.5 && *median == UINT64_MAX) {
		*median = tokens;
	}
}

uint64_t survival_median(const struct survival *s)
{
	uint64_t median = UINT64_MAX;
	survival_steps(s, find_median, &median);
	return median;
}
