#pragma once
/*
 * proportion - exact tests of counts, and intervals of rates. Pure.
 */
#include <stddef.h>
#include <stdint.h>

#include "analyzer/stats/stats.h"

/* McNemar's exact test, two-sided: b pairs changed in one direction and c in the other. The null
 * hypothesis is that both directions are equally likely. Returns p; 1 if nothing changed. */
double proportion_mcnemar(uint64_t b, uint64_t c);

/* Fisher's exact test, one-sided: is the rate hits / n above other_hits / others? Returns p; 1 if
 * nothing can be tested. */
double proportion_fisher_above(uint64_t hits, uint64_t n, uint64_t other_hits, uint64_t others);

/* P(X >= hits) of a binomial X with n trials of probability q. hits and n need not be whole, so
 * that effective numbers fit. */
double proportion_binomial_above(double hits, double n, double q);

/*
 * The mid-P interval of a rate (Lancaster 1961; Berry and Armitage 1995): both tails contain half
 * of the observed outcome's probability. The interval covers the rate with probability 1 - alpha on
 * average; the exact interval covers every rate with at least this probability. 0..1 if n is 0.
 * hits and n need not be whole, so that effective numbers fit.
 */
struct interval proportion_mid_p(double hits, double n, double alpha);
/* The 95 % mid-P interval, for independent counts. Pairs of one prompt depend on each other:
 * clusters.h has the intervals of their rates. */
static inline struct interval proportion_rate(uint64_t hits, uint64_t n)
{
	return proportion_mid_p((double)hits, (double)n, 0.05);
}

/*
 * Tests whether a rate rises or falls with a level (Cochran and Armitage). At level i, the rate is
 * hits[i] / n[i], and scores[i] is the level's score, such as a concurrency. Returns the two-sided
 * p. *ret_z: the statistic, above 0 if the rate rises. If nothing can be tested, p is 1 and z is 0.
 */
double proportion_trend(const double *scores, const uint64_t *hits, const uint64_t *n,
        size_t levels, double *ret_z);
