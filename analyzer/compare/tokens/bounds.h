#pragma once
/*
 * bounds - bounds for the distance between two distributions of tokens, of which only the most
 * probable tokens are known. Pure.
 *
 * Engines return the top k of each side; the k tokens need not be the same. The probability of the
 * unlisted tokens is known only in sum. Nothing is renormalised and nothing is filled in: the
 * bounds hold for every pair of distributions that agrees with the lists.
 *
 * Sources: the lower bound of the Kullback-Leibler divergence is the data-processing inequality,
 * with the unlisted tokens as one cell, or as two if that gives a higher bound. The lower bounds of
 * total variation and Jensen-Shannon divergence are computed in the same way. Their upper bounds
 * assume that the two sides put their unlisted mass on different tokens. Natural logs.
 */
#include <stddef.h>

/* The largest change of a sum of probabilities that the rounding of logprobs can cause: engines
 * print as few as four digits. */
#define BOUNDS_GUARD 1e-6

struct bounds {
	/* Kullback-Leibler divergence of P from R, nats; it has no upper bound */
	double kl_low;
	double tv_low, tv_high;    /* total variation, 0..1 */
	double js_low, js_high;    /* Jensen-Shannon divergence, 0..ln 2 */
	double p_hidden, r_hidden; /* probability of each side outside the other side's list */
};

/*
 * Computes the bounds. p[i] and r[i]: the probability of token i on both sides, NaN if a side does
 * not list it; p_lp[i] and r_lp[i]: their logs. Each token occurs once, in any order. Sums above 1
 * count as 1. guard: usually BOUNDS_GUARD.
 */
void bounds_of(const double *p, const double *r, const double *p_lp, const double *r_lp, size_t n,
        double guard, struct bounds *ret);

/* exp(d) - 1 - d for a token that P generated, with d = R's logprob of it minus P's: never
 * negative. Unbiased for the divergence of P from R only if tokens were sampled from P; for
 * greedy tokens it is only a score. */
double bounds_k3(double d);
