#include "analyzer/compare/tokens/first.h"

#include <math.h>

#include "base/check.h"

#define EXACT_TIE 1e-6

/* The least logprob of a side's list: a token outside of the list is at most as probable. NaN:
 * no list. */
static double least_listed(const struct listing *l)
{
	double least = NAN;
	for (uint32_t row = l->from; row < l->to; row++) {
		double lp = (double)listing_lp(l, row);
		least = isfinite(lp) && !(lp >= least) ? lp : least;
	}
	return least;
}

static double gap_of(const struct listing *own, struct span other, bool *ret_censored)
{
	double chosen = (double)listing_chosen_lp(own), lp = (double)listing_logprob(own, other);
	*ret_censored = isnan(lp);
	return chosen - (isnan(lp) ? least_listed(own) : lp);
}

void first_find(const struct listing *p, const struct listing *r, struct first *ret)
{
	ret->gap_p = gap_of(p, listing_chosen(r), &ret->p_censored);
	ret->gap_r = gap_of(r, listing_chosen(p), &ret->r_censored);
	/* fmax() would return 0 for a NaN. */
	double p_gap = ret->gap_p < 0 ? 0 : ret->gap_p, r_gap = ret->gap_r < 0 ? 0 : ret->gap_r;
	ret->shift = p_gap + r_gap;
}

double first_noise(const struct listing *p, const struct listing *r)
{
	uint32_t best = UINT32_MAX, second = UINT32_MAX;
	for (uint32_t row = r->from; row < r->to; row++) {
		float lp = listing_lp(r, row);
		if (!isfinite(lp)) {
			continue;
		}
		if (best == UINT32_MAX || lp > listing_lp(r, best)) {
			second = best;
			best = row;
		} else if (second == UINT32_MAX || lp > listing_lp(r, second)) {
			second = row;
		}
	}
	if (second == UINT32_MAX) {
		return NAN;
	}
	double p_best = (double)listing_logprob(p, listing_row(r, best));
	double p_second = (double)listing_logprob(p, listing_row(r, second));
	return (p_best - p_second) - ((double)listing_lp(r, best) - (double)listing_lp(r, second));
}

const char *first_verdict_name(enum first_verdict v)
{
	static const char *const NAMES[] = {"tie", "drift", "shift", "foreign", "unknown"};
	expect(v < N_FIRSTS);
	return NAMES[v];
}

double first_sigma(const struct log_histogram *noise)
{
	return log_histogram_count(noise) < FIRST_NOISE_LEAST
	               ? NAN
	               : 1.4826 * log_histogram_quantile(noise, 0.5);
}

double first_tie_most(const struct first_scale *scale)
{
	return fmax(EXACT_TIE, isnan(scale->sigma) ? 0 : 3 * scale->sigma);
}

enum first_verdict first_judge(const struct first *f, const struct first_scale *scale)
{
	if (isnan(f->shift)) {
		return FIRST_UNKNOWN;
	}
	if (f->p_censored || f->r_censored) {
		return FIRST_FOREIGN;
	}
	if (f->shift <= first_tie_most(scale)) {
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
