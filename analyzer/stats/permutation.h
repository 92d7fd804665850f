#pragma once
/*
 * permutation - counts the permutations of a permutation test and gives its p value: how often the
 * statistic of a permutation is at least the observed one. Sequential, after Besag and Clifford,
 * "Sequential Monte Carlo p-values", Biometrika 78 (1991): a test ends after `most` permutations,
 * or as soon as `enough` were that extreme, because p is then accurate enough. Pure.
 *
 *	struct permutation t = {.most = 9999, .enough = 100};
 *	while (permutation_wanted(&t)) {
 *		struct rng rng = rng_of(key, t.n); // the same key: the same permutation
 *		RNG_SHUFFLE(&rng, n, values[i]);
 *		permutation_count(&t, statistic(values), observed);
 *	}
 *	double p = permutation_p(&t);
 */
#include <stdbool.h>
#include <stdint.h>

/* A statistic below the observed one by at most this counts as equal: sums of the same terms in
 * another order differ in their last bits. */
#define PERMUTATION_ROUNDING 1e-9

struct permutation {
	unsigned most, enough;
	unsigned n, extreme; /* permutations so far; those at least as extreme as observed */
};

static inline bool permutation_wanted(const struct permutation *t)
{
	return t->n < t->most && t->extreme < t->enough;
}

static inline void permutation_count(struct permutation *t, double statistic, double observed)
{
	t->n++;
	t->extreme += statistic >= observed - PERMUTATION_ROUNDING;
}

/* Besag and Clifford's p value, never 0. After all permutations the observed order counts as one
 * more. */
static inline double permutation_p(const struct permutation *t)
{
	return t->extreme == t->enough ? (double)t->extreme / t->n
	                               : (t->extreme + 1.0) / (t->n + 1.0);
}
