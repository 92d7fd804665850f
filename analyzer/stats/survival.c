#include "analyzer/stats/survival.h"

#include <math.h>
#include <stddef.h>

void survival_add(struct survival *s, uint64_t at, bool parted)
{
	spread_add(parted ? &s->parted : &s->whole, at);
}

/* Those that parted at t were identical in their first t tokens and at risk in the next one. */
void survival_steps(const struct survival *s, survival_step_fn step, void *arg)
{
	uint64_t at_risk = s->parted.n + s->whole.n;
	double share = 1;
	for (size_t i = 0; i < SPREAD_BUCKETS && at_risk > 0; i++) {
		uint64_t parted = s->parted.buckets[i];
		if (parted > 0) {
			share *= 1 - (double)parted / (double)at_risk;
			step(arg, spread_bucket_low(i) + 1, share, at_risk);
		}
		at_risk -= parted + s->whole.buckets[i];
	}
}

struct search {
	uint64_t tokens;
	double share;
	uint64_t median;
};

static void look(void *arg, uint64_t tokens, double share, uint64_t at_risk)
{
	struct search *s = arg;
	if (tokens <= s->tokens) {
		s->share = share;
	}
	if (share < 0.5 && s->median == UINT64_MAX) {
		s->median = tokens;
	}
}

double survival_share(const struct survival *s, uint64_t tokens)
{
	uint64_t longest = s->parted.n ? s->parted.max + 1 : 0;
	longest = s->whole.n && s->whole.max > longest ? s->whole.max : longest;
	if (s->parted.n + s->whole.n == 0 || tokens > longest) {
		return NAN;
	}
	struct search search = {tokens, 1, UINT64_MAX};
	survival_steps(s, look, &search);
	return search.share;
}

uint64_t survival_median(const struct survival *s)
{
	struct search search = {UINT64_MAX, 1, UINT64_MAX};
	survival_steps(s, look, &search);
	return search.median;
}
