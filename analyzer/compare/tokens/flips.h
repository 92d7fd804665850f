#pragma once
/*
 * flips - estimates at how many positions numeric noise alone makes another token the most probable
 * one, and decides whether that explains the number of greedy answers that differ. Pure.
 *
 * The gap of a position is the difference of the logprobs of its two most probable tokens, in nats.
 * Gaps are kept in a histogram, because sigma (first_sigma()) is known only when the fold ends.
 */
#include <stdint.h>

#include "analyzer/stats/log_histogram.h"

/* The probability that noise of this sigma makes another token the most probable one, at a
 * position with this gap: P(Z < -gap / sigma) of a standard normal Z. gap and sigma in nats, at
 * least 0. 0 if sigma is 0, even for a gap of 0: the engines then have the same numbers. */
double flip_chance(double gap, double sigma);

/* The expected number of positions at which noise changes the most probable token: the sum of
 * flip_chance() over all gaps. NaN: sigma is NaN, or there are no positions. */
double flips_expected(const struct log_histogram *gaps, double sigma);

/* Whether the expected number explains the observed one. The expectation is accurate only to a
 * factor of 2, because the noise of neighbouring positions is correlated. So the null hypothesis is
 * twice the expected number: X is binomial, with `positions` trials of probability 2 expected /
 * positions. */
enum flips_verdict {
	FLIPS_NOISE,     /* at most twice the expected number */
	FLIPS_UNCERTAIN, /* more, but not significantly: P(X >= observed) is at least 0.025 */
	FLIPS_MORE,      /* significantly more */
};

/* expected: from flips_expected(), not NaN. observed: greedy answers that differ. positions:
 * positions where answers could have differed, at least 1. */
enum flips_verdict flips_judge(double expected, uint64_t observed, uint64_t positions);
