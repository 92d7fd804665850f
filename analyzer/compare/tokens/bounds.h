#pragma once
/*
 * bounds - how far two distributions of which only the most probable tokens are known must, and can,
 * lie apart. Pure.
 *
 * Engines tell the top k of each side, k tokens that need not be the same. What is not listed has a
 * known sum and an unknown shape. Nothing is renormalised and nothing is filled in: the figures
 * hold for every pair of distributions that agrees with the lists.
 *
 * Sources: the lower bound of the Kullback-Leibler divergence is the data-processing inequality, the
 * unlisted tokens taken as one cell, or as two where that is more; total variation and
 * Jensen-Shannon likewise, their upper bounds with unlisted mass that never meets. Natural logs.
 */
#include <stddef.h>

/* What rounding of the logprobs may have cost each sum of probabilities: engines print as few as
 * four digits. */
#define BOUNDS_GUARD 1e-6

struct bounds {
	double kl_low;             /* of P from R, nats; there is no upper bound */
	double tv_low, tv_high;    /* 0..1 */
	double js_low, js_high;    /* 0..ln 2 */
	double p_hidden, r_hidden; /* mass of each side that the other side's list does not show */
};

/*
 * p[i] and r[i] are probabilities of one token on both sides, NaN where a side does not list it;
 * p_lp[i] and r_lp[i] are their logs. Each token once, in any order. Sums over 1 are taken as 1.
 */
void bounds_of(const double *p, const double *r, const double *p_lp, const double *r_lp, size_t n,
        double guard, struct bounds *ret);

/* exp(d) - 1 - d with d = r_lp - p_lp of a token that P generated: never negative. Unbiased for the
 * divergence of P from R only where tokens were sampled from P; over greedy tokens it is a score. */
double bounds_k3(double p_lp, double r_lp);
