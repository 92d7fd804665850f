#pragma once
/*
 * proportion - exact tests of counts, and intervals of rates. Pure.
 */
#include <stddef.h>
#include <stdint.h>

#include "analyzer/stats/stats.h"

/* McNemar's exact test, both sides: of n = b + c pairs that changed, b went one way and c the
 * other. 1 where nothing changed. */
double proportion_mcnemar(uint64_t b, uint64_t c);

/* Fisher's exact test, one-sided: the chance that at random so many or more of all hits fall among
 * these n. 1 if nothing can be tested. */
double proportion_fisher_above(uint64_t hits, uint64_t n, uint64_t other_hits, uint64_t others);

/* P(X >= hits) of a binomial X: each of n happens with the chance q. Numbers need not be whole,
 * such as effective ones. */
double proportion_binomial_above(double hits, double n, double q);

/*
 * The mid-P interval of a rate: what was observed counts by half on either side, so that it covers
 * 1 - alpha on the whole and not at the least (Lancaster 1961; Berry and Armitage 1995). 0..1 when
 * n is 0. Numbers need not be whole, such as effective ones.
 */
struct interval proportion_mid_p(double hits, double n, double alpha);
/* The same at 95 %, for independent counts. clusters.h has intervals of rates over pairs, which are
 * correlated by prompt. */
static inline struct interval proportion_rate(uint64_t hits, uint64_t n)
{
	return proportion_mid_p((double)hits, (double)n, 0.05);
}

/*
 * Tests whether a rate rises or falls with a level (Cochran and Armitage). hits[i] of n[i] at
 * scores[i]. *ret_z above 0: it rises. The p value is two-sided; p 1 and z 0 if nothing can be
 * tested.
 */
double proportion_trend(const double *scores, const uint64_t *hits, const uint64_t *n,
        size_t levels, double *ret_z);
