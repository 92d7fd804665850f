#include "analyzer/compare/tokens/first_difference_kind.h"

#include <math.h>

#include "base/enum_names.h"

#define EXACT_TIE 1e-6

static double gap_of(const struct listing *own, struct span other, bool *ret_censored)
{
	double chosen = (double)listing_chosen_lp(own), lp = (double)listing_logprob(own, other);
	*ret_censored = isnan(lp);
	return chosen - (isnan(lp) ? (double)listing_least(own) : lp);
}

void first_find(const struct listing *base, const struct listing *test, struct first *ret)
{
	ret->test_gap = gap_of(test, listing_chosen(base), &ret->test_censored);
	ret->base_gap = gap_of(base, listing_chosen(test), &ret->base_censored);
	/* fmax() would return 0 for a NaN. */
	ret->shift =
	        (ret->test_gap < 0 ? 0 : ret->test_gap) + (ret->base_gap < 0 ? 0 : ret->base_gap);
}

double first_noise(const struct listing *base, const struct listing *test)
{
	uint32_t top[2];
	if (listing_best(base, top, 2) < 2) {
		return NAN;
	}
	double best = (double)listing_logprob(test, listing_row(base, top[0]));
	double second = (double)listing_logprob(test, listing_row(base, top[1]));
	return (best - second) -
	       ((double)listing_lp(base, top[0]) - (double)listing_lp(base, top[1]));
}

ENUM_NAMES(first_verdict_name, enum first_verdict, "tie", "drift", "shift", "foreign", "unknown");

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
	if (f->test_censored || f->base_censored) {
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
