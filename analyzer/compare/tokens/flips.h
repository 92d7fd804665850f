#pragma once
/*
 * flips - how many greedy answers should differ if nothing but numeric noise were at work, against how many do.
 *
 * A position whose two best tokens are a gap apart flips with the chance P(Z < -gap / sigma), sigma being the
 * noise of the pair of backends. The gaps are in a histogram, because sigma is known only at the end.
 */
#include "analyzer/stats/log_histogram.h"

/* The sum of the chances; NaN when sigma is, or without positions. */
double flips_expected(const struct log_histogram *gaps, double sigma);

/* Whether so many explain those observed. The expectation is good to a factor of 2: the noise of neighbouring
 * positions is correlated. */
enum flips_verdict {
	FLIPS_NOISE,   /* observed is at most twice as many */
	FLIPS_TOO_FEW, /* more, but chance would make as many of twice the expectation too often */
	FLIPS_MORE,
};

/* positions: at which answers could have differed. */
enum flips_verdict flips_judge(double expected, uint64_t observed, uint64_t positions);
