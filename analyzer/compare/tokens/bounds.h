#pragma once
/*
 * bounds - bounds for the distance between two distributions of tokens, P and R, of which only the
 * most probable tokens are known. Pure.
 *
 * Each side lists its k most probable tokens; they need not be the same tokens. The probability of
 * the unlisted tokens is known only in sum. Nothing is renormalised and nothing is filled in: the
 * bounds hold for every pair of distributions that agrees with the lists.
 *
 * The lower bounds follow from the data-processing inequality: all tokens that are not in both
 * lists are joined into one cell, or into two if that gives a higher bound. The upper bounds of
 * total variation and Jensen-Shannon divergence assume that the two sides put the mass of this cell
 * on different tokens. Natural logs.
 */
#include <stddef.h>

/* The error of a sum of probabilities that logprobs in single precision can cause. */
#define BOUNDS_GUARD 1e-6

struct bounds {
	/* Kullback-Leibler divergence of P from R, nats: the sum of p ln(p / r). It has no upper
	 * bound, and kl_low may be infinite. */
	double kl_low;
	double tv_low, tv_high; /* total variation, 0..1 */
	double js_low, js_high; /* Jensen-Shannon divergence, 0..ln 2 */
	/* the probability that P, or R, gives to the tokens that are not in both lists */
	double p_hidden, r_hidden;
};

/*
 * Computes the bounds from n tokens. p[i] and r[i]: the probability of token i on both sides, NaN
 * if a side does not list it; p_lp[i] and r_lp[i]: their natural logs. Each token occurs once, in
 * any order. If the probabilities of a side sum to more than 1, its unlisted tokens have the
 * probability 0.
 *
 * kl_low holds for all distributions within these errors, and is lower the larger they are:
 *	guard     the error of a sum of probabilities, usually BOUNDS_GUARD
 *	rounding  the further error of each logprob, because the engine rounds them; 0: it does not
 */
void bounds_of(const double *p, const double *r, const double *p_lp, const double *r_lp, size_t n,
        double guard, double rounding, struct bounds *ret);

/* k3 of one token that P generated: exp(d) - 1 - d, which is never negative. d: R's logprob of
 * the token minus P's. Unbiased for the divergence of P from R only if tokens were sampled from
 * P; for greedy tokens it is only a score. */
double bounds_k3(double d);
