#pragma once
/*
 * flips - the number of greedy answers that numeric noise alone would change, compared with the
 * number that differ.
 *
 * A position with a gap between its two best tokens flips with probability P(Z < -gap / sigma),
 * where sigma is the noise of the pair of backends. The gaps are kept in a histogram, because sigma
 * is known only at the end.
 */
#include "analyzer/stats/log_histogram.h"

/* The expected number of positions that flip. NaN: sigma is NaN, or there are no positions. */
double flips_expected(const struct log_histogram *gaps, double sigma);

/* Does the expected number explain the observed one? The expectation is accurate only to a
 * factor of 2, because the noise of neighbouring positions is correlated. */
enum flips_verdict {
	FLIPS_NOISE,   /* observed: at most twice the expected number */
	FLIPS_TOO_FEW, /* more than that, but chance explains it */
	FLIPS_MORE,
};

/* observed: greedy answers that differ. positions: positions where answers could have differed. */
enum flips_verdict flips_judge(double expected, uint64_t observed, uint64_t positions);
