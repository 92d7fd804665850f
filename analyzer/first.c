#include "analyzer/first.h"

#include <math.h>

#include "analyzer/metrics_tokens.h"
#include "base/check.h"

#define EXACT_TIE 1e-6

/* The least logprob of a side's list: what a token that is not in it can't exceed. NaN: no list. */
static double least_listed(const struct columns *c, uint32_t token)
{
	uint32_t from = token ? c->top_end[token - 1] : 0, to = c->top_end[token];
	double least = NAN;
	for (uint32_t row = from; row < to; row++) {
		double lp = (double)c->top_lp[row];
		least = isfinite(lp) && !(lp >= least) ? lp : least;
	}
	return least;
}

static double gap_of(const struct columns *own, uint32_t at, struct span other, bool *ret_censored)
{
	double chosen = (double)own->lp[at], lp = (double)metrics_logprob_of(own, at, other);
	*ret_censored = isnan(lp);
	return chosen - (isnan(lp) ? least_listed(own, at) : lp);
}

void first_find(
        const struct columns *p, uint32_t i, const struct columns *r, uint32_t k, struct first *ret)
{
	ret->gap_p = gap_of(p, i, columns_token(r, k), &ret->p_censored);
	ret->gap_r = gap_of(r, k, columns_token(p, i), &ret->r_censored);
	/* fmax() would take a number over NaN. */
	double p_gap = ret->gap_p < 0 ? 0 : ret->gap_p, r_gap = ret->gap_r < 0 ? 0 : ret->gap_r;
	ret->shift = p_gap + r_gap;
}

double first_noise(const struct columns *p, uint32_t i, const struct columns *r, uint32_t k)
{
	uint32_t from = k ? r->top_end[k - 1] : 0, to = r->top_end[k];
	uint32_t best = UINT32_MAX, second = UINT32_MAX;
	for (uint32_t row = from; row < to; row++) {
		if (!isfinite(r->top_lp[row])) {
			continue;
		}
		if (best == UINT32_MAX || r->top_lp[row] > r->top_lp[best]) {
			second = best;
			best = row;
		} else if (second == UINT32_MAX || r->top_lp[row] > r->top_lp[second]) {
			second = row;
		}
	}
	if (second == UINT32_MAX) {
		return NAN;
	}
	double p_best = (double)metrics_logprob_of(p, i, columns_top_token(r, best));
	double p_second = (double)metrics_logprob_of(p, i, columns_top_token(r, second));
	return (p_best - p_second) - ((double)r->top_lp[best] - (double)r->top_lp[second]);
}

const char *first_verdict_name(enum first_verdict v)
{
	static const char *const NAMES[] = {"tie", "drift", "shift", "foreign", "unknown"};
	expect(v < N_FIRSTS);
	return NAMES[v];
}

enum first_verdict first_judge(const struct first *f, const struct first_scale *scale)
{
	if (isnan(f->shift)) {
		return FIRST_UNKNOWN;
	}
	if (f->p_censored || f->r_censored) {
		return FIRST_FOREIGN;
	}
	double noise = isnan(scale->sigma) ? 0 : 3 * scale->sigma;
	if (f->shift <= fmax(EXACT_TIE, noise)) {
		return FIRST_TIE;
	}
	if (isnan(scale->floor)) {
		return FIRST_UNKNOWN;
	}
	return f->shift <= scale->floor ? FIRST_DRIFT : FIRST_SHIFT;
}

double first_flip_chance(double gap, double sigma)
{
	if (sigma <= 0) {
		return gap > 0 ? 0 : 0.5;
	}
	return 0.5 * erfc(gap / sigma * M_SQRT1_2);
}
