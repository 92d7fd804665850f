#include "analyzer/stats/proportion.h"

#include <math.h>

#include "analyzer/stats/distribution.h"
#include "base/check.h"

double proportion_mcnemar(uint64_t b, uint64_t c)
{
	double n = (double)(b + c), sum = 0;
	for (uint64_t i = 0; i <= MIN(b, c); i++) {
		sum += exp(distribution_log_choose(n, (double)i) - n * M_LN2);
	}
	return fmin(1, 2 * sum);
}

double proportion_fisher_above(uint64_t hits, uint64_t n, uint64_t other_hits, uint64_t others)
{
	double all = (double)(n + others), sum = 0;
	uint64_t wrong = hits + other_hits;
	for (uint64_t i = hits; i <= MIN(n, wrong); i++) {
		if (wrong - i <= others) {
			sum += exp(distribution_log_choose((double)n, (double)i) +
			           distribution_log_choose((double)others, (double)(wrong - i)) -
			           distribution_log_choose(all, (double)wrong));
		}
	}
	return fmin(1, sum);
}

double proportion_binomial_above(double hits, double n, double q)
{
	if (hits <= 0 || hits > n) {
		return hits <= 0 ? 1 : 0;
	}
	struct beta beta = distribution_beta(hits, n - hits + 1);
	return distribution_beta_below(&beta, q);
}

/* P(X > hits) + P(X = hits) / 2 for a binomial count with probability x. arg: the beta functions
 * for more hits and for at least as many. */
static double mid_p_rises(const void *arg, double x)
{
	const struct beta *more = arg, *as_many = more + 1;
	double above = more->b > 0 ? distribution_beta_below(more, x) : 0;
	return (above + (as_many->a > 0 ? distribution_beta_below(as_many, x) : 1)) / 2;
}

struct interval proportion_mid_p(double hits, double n, double alpha)
{
	hits = fmin(fmax(hits, 0), n);
	const struct beta arg[] = {
	        distribution_beta(hits + 1, n - hits),
	        distribution_beta(hits, n - hits + 1),
	};
	return (struct interval){
	        hits <= 0 ? 0 : distribution_root(mid_p_rises, arg, alpha / 2, 0, 1),
	        hits >= n ? 1 : distribution_root(mid_p_rises, arg, 1 - alpha / 2, 0, 1),
	};
}

double proportion_trend(
        const double *scores, const uint64_t *hits, const uint64_t *n, size_t levels, double *ret_z)
{
	double all = 0, all_hits = 0, mean = 0, statistic = 0, spread = 0;
	for (size_t i = 0; i < levels; i++) {
		all += (double)n[i];
		all_hits += (double)hits[i];
		mean += (double)n[i] * scores[i];
	}
	double rate = all > 0 ? all_hits / all : 0;
	mean = all > 0 ? mean / all : 0;
	for (size_t i = 0; i < levels; i++) {
		double deviation = scores[i] - mean;
		statistic += deviation * ((double)hits[i] - (double)n[i] * rate);
		spread += (double)n[i] * deviation * deviation;
	}
	double variance = rate * (1 - rate) * spread;
	*ret_z = variance > 0 ? statistic / sqrt(variance) : 0;
	return variance > 0 ? 2 * distribution_normal_below(-fabs(*ret_z)) : 1;
}
