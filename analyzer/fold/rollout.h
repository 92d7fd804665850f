#pragma once
/*
 * rollout - compares the probabilities that an engine states for the tokens it drew with the
 * scorer's probabilities for the same tokens. A training run that treats the engine's answers as
 * its own must correct for this difference. An answer counts if its tokens were drawn from the
 * stated probabilities (score_basis_is_drawn()) and a token of it is aligned (struct score_row). A
 * fold over score_row.
 *
 * With d = the scorer's logprob minus the engine's, the importance ratio is r = exp(d). In r, d is
 * at most SCORE_LOG_RATIO_LIMIT.
 *
 *	k1                     mean of -d, an unbiased estimate of KL(engine || scorer)
 *	k3                     mean of r - 1 - d, also unbiased, and never below 0
 *	effective sample size  (sum r)^2 / (n sum r^2), as a share (Kish 1965)
 *
 * The names k1 and k3 are Schulman's (2020, "Approximating KL divergence"). The r of a whole answer
 * is the product over its aligned tokens.
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
/* one more column, which is no figure: the mean of r squared */
enum { ROLLOUT_RATIO_SQUARE = N_ROLLOUT_FIGURES, N_ROLLOUT_COLUMNS };

struct rollout_span {
	uint64_t n;                 /* tokens */
	struct exact_sum sizes, k3; /* sums of |d| and of k3 over these tokens */
};

struct rollout {                          /* zero-initialised: empty */
	uint64_t by_basis[N_SCORE_BASES]; /* all answers with SCORE_COUNTS */
	struct clusters *clusters;        /* N_ROLLOUT_COLUMNS; NULL: no answer counts */
	/* tokens: aligned tokens of the answers that count; outside: those of them with r < 1/2 or
	 * r > 2 */
	uint64_t tokens, outside;
	double delta_max; /* the largest |d| */
	struct signed_histogram log_ratios;
	struct rollout_span spans[SCORE_SPANS];
	/* Over answers that count: */
	struct log_histogram answer_deltas;                   /* mean |d| of an answer */
	struct signed_histogram answer_log_ratios;            /* sum of d over an answer */
	struct exact_sum answer_ratios, answer_ratio_squares; /* of a whole answer's r */

	struct estimate values[N_ROLLOUT_FIGURES]; /* set by rollout_settle() */
};

/* Adds a row whose result is SCORE_COUNTS. */
void rollout_add(struct rollout *r, const struct score_row *row);
void rollout_settle(struct rollout *r); /* call once, after the last row */
void rollout_finish(struct rollout *r);

/* The effective sample size as a share from 0 to 1, of tokens and of whole answers. NaN: no
 * answer counts. */
double rollout_sample_size(const struct rollout *r);
double rollout_sample_size_of_answers(const struct rollout *r);
