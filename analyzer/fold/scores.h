#pragma once
/*
 * scores - teacher forcing: the probabilities that the base of a group has for the tokens that the
 * test generated. A fold over score_row: rows may come in any order.
 */
#include "analyzer/causes/advice.h"
#include "analyzer/fold/rollout.h"
#include "analyzer/rows/rows.h"
#include "analyzer/stats/clusters.h"
#include "analyzer/stats/figure_value.h"

/* Figures with an interval: ratios of sums over clusters. */
enum score_figure {
	SCORE_POSITIONS, /* positions that count, as a share of the answers' tokens */
	SCORE_SAME_TOP,
	SCORE_LOGPROB, /* logprob of the token: the answer's side minus the scorer's */
	SCORE_LOGPROB_SQUARE,
	SCORE_OF_ANSWERS, /* SCORE_LOGPROB, as the mean per answer */
	SCORE_OWN,        /* logprob of the token by the answer's side */
	SCORE_SCORER,     /* logprob of the token by the scorer */
	/* exp(d) - 1 - d with d = scorer's - own: an unbiased estimate of KL(answer's side ||
	 * scorer), if the answers were sampled from the probabilities that their logprobs state. */
	SCORE_K3,
	N_SCORE_FIGURES,
};
/* Further columns. */
enum {
	SCORE_ANSWERS = N_SCORE_FIGURES, /* answers: the denominator of SCORE_OF_ANSWERS */
	SCORE_EMPTY,                     /* stays empty */
	/* How the answer's engine changed its logprobs: struct score_row. */
	SCORE_CONTRAST,
	SCORE_GAPS, /* squares of the scorer's gaps */
	SCORE_GAP_PRODUCTS,
	N_SCORE_COLUMNS,
};

/* The sums over answers of one decoding. */
struct score_split {
	uint64_t answers; /* scored, with at least one position that counts */
	uint64_t tokens;  /* of these answers */
	uint64_t positions;
	uint64_t tops, tops_equal; /* as in struct score_row */
	uint64_t logprobs;         /* positions with a logprob on both sides */
	uint64_t aligned;          /* of these, aligned as in struct score_row: for SCORE_K3 */
	uint64_t means;            /* answers with at least one such position */
	struct estimate values[N_SCORE_FIGURES];
};

/* k3 of the answers that decide, and the part of it above the floor. */
struct score_excess {
	uint64_t answers;
	struct figure_value k3, same_top; /* n: positions */
	/* k3 of the scorer's own answers: the noise between its generation and its scoring. NaN:
	 * not measured, or both sides are one engine. */
	double floor;
	struct estimate over; /* NaN likewise */
};

/* The effect of the noise between both engines, if these answers were decoded greedily. */
struct score_flips {
	double sigma;      /* nats; NaN: not known, then the rest is unknown too */
	double per_tokens; /* tokens in 1,000 at which another token would be chosen */
	double answers;    /* share of answers that would differ, at their mean length */
};

/* The cost of scoring, compared with the cost of generating the same answers. */
struct score_cost {
	uint64_t answers; /* answers with known times and tokens, whatever their scores say */
	uint64_t scorer_us, of_us; /* sums of the times for scoring and for generating, us */
	uint64_t tokens;           /* of these answers */
	/* tokens of prompts and answers that the scorer read, as it reports; and the number of
	 * answers for which it reports them */
	uint64_t tokens_read, told;
};

struct scores {                                  /* zero-initialised is empty */
	uint64_t legs;                           /* scored, counted or not */
	uint64_t without, unmatched, unreadable; /* scored legs, by enum score_result */
	/* scored legs that count, but not in k3: see score_basis_is_comparable() */
	uint64_t processed;
	struct clusters *clusters[N_DECODINGS]; /* N_SCORE_COLUMNS; NULL: nothing was added yet */
	struct rollout rollout;
	struct log_histogram gaps, noise; /* as in struct score_row */
	struct score_cost cost;
	struct advice_engine scorer, of;

	/* Valid after scores_settle(). */
	struct score_split splits[N_DECODINGS + 1]; /* the last one is for all answers */
	struct score_excess excess;
};

void scores_add(struct scores *s, const struct score_row *row);
void scores_finish(struct scores *s);

/*
 * True if there are positions on which a decision can be based. Positions of greedy answers are
 * used only if `greedy` is set; the caller sets it if no greedy answers were compared directly,
 * since a direct comparison shows more.
 */
bool scores_decide(const struct scores *s, bool greedy);
struct score_flips scores_flips(const struct scores *s);
/* Estimates one column over all answers. Not for columns that are rates. */
void scores_estimate(const struct scores *s, size_t column, struct estimate *ret);
/* Computes the splits. Call once, after the last row. */
void scores_settle(struct scores *s);
/*
 * Call after scores_settle(): computes k3 of the answers that decide (scores_decide()). floor: the
 * scores that the scorer gave its own answers; NULL: none. The scores that the other engine gave
 * its own answers are not used as a floor: if an engine states other probabilities than it draws
 * from, these scores are as large as the difference itself.
 */
void scores_judge(struct scores *s, bool greedy, const struct scores *floor);
