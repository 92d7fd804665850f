#pragma once
/*
 * rollout - how far the probabilities that an engine states for the tokens that it drew are from
 * those that the scorer has for them: what a training run that takes the engine's answers for the
 * scorer's would have to correct. Only answers whose stated probabilities are those that they were
 * drawn from count (enum score_basis). A fold over score_row.
 *
 * d is the scorer's logprob less the engine's; the importance ratio is r = exp(d).
 *
 *	k1                     mean of -d, an unbiased estimate of KL(engine || scorer)
 *	k3                     mean of r - 1 - d, likewise, and never below 0
 *	effective sample size  (sum r)^2 / (n sum r^2), as a share (Kish 1965)
 *
 * The names k1 and k3 are Schulman's (2020, "Approximating KL divergence"). Of an answer, r is the
 * product over its tokens.
 */
#include "analyzer/rows/rows.h"
#include "analyzer/stats/clusters.h"
#include "analyzer/stats/log_histogram.h"

enum rollout_figure {
	ROLLOUT_DELTA, /* mean |d| */
	ROLLOUT_K1,
	ROLLOUT_K3,
	ROLLOUT_RATIO,
	N_ROLLOUT_FIGURES,
};
/* A column beside them: the squares of ratios. */
enum { ROLLOUT_RATIO_SQUARE = N_ROLLOUT_FIGURES, N_ROLLOUT_COLUMNS };

struct rollout_span {
	uint64_t n;
	struct exact_sum sizes, k3; /* |d| */
};

struct rollout {                          /* zero-initialised is empty */
	uint64_t by_basis[N_SCORE_BASES]; /* scored answers, counted or not */
	struct clusters *clusters;        /* N_ROLLOUT_COLUMNS; NULL: nothing counts */
	uint64_t tokens, outside;         /* outside: r below 1/2 or above 2 */
	double delta_max;                 /* the largest |d| */
	struct signed_histogram log_ratios;
	struct rollout_span spans[SCORE_SPANS];
	/* By answer: mean |d|, d of the whole answer, and sums of its ratio. */
	struct log_histogram answer_deltas;
	struct signed_histogram answer_log_ratios;
	struct exact_sum answer_ratios, answer_ratio_squares;
	struct exact_losses losses;

	struct estimate values[N_ROLLOUT_FIGURES]; /* once settled */
};

void rollout_add(struct rollout *r, const struct score_row *row);
void rollout_settle(struct rollout *r);
void rollout_finish(struct rollout *r);

/* Shares, from 0 to 1: of tokens, and of whole answers. NaN: nothing counts. */
double rollout_sample_size(const struct rollout *r);
double rollout_sample_size_of_answers(const struct rollout *r);
