#pragma once
/*
 * scores - teacher forcing: the probabilities that the base of a group gives to the tokens that the
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
	SCORE_LOGPROB, /* own logprob of a token minus the scorer's */
	SCORE_LOGPROB_SQUARE,
	SCORE_OF_ANSWERS, /* SCORE_LOGPROB, as a mean over answers of their means */
	SCORE_OWN,        /* own logprob of a token: by the answer's engine */
	SCORE_SCORER,     /* the scorer's logprob of a token */
	/* exp(d) - 1 - d with d = the scorer's logprob - own logprob: an unbiased estimate of
	 * KL(answer's engine || scorer), if the answers were sampled from the probabilities that
	 * their logprobs state. */
	SCORE_K3,
	N_SCORE_FIGURES,
};
/* Further columns, which are no figures. */
enum {
	/* number of answers: the denominator of SCORE_OF_ANSWERS */
	SCORE_ANSWERS = N_SCORE_FIGURES,
	SCORE_EMPTY, /* stays empty */
	/* How the answer's engine changed its logprobs: contrast and gaps of struct score_row. */
	SCORE_CONTRAST,
	SCORE_GAPS, /* squares of the scorer's gaps */
	SCORE_GAP_PRODUCTS,
	N_SCORE_COLUMNS,
};

/* The sums over answers of one decoding. */
struct score_split {
	uint64_t answers; /* scored answers with at least one position that counts */
	uint64_t tokens;  /* tokens of these answers */
	uint64_t positions;
	uint64_t tops, tops_equal; /* as in struct score_row */
	uint64_t logprobs;         /* positions with a logprob on both sides */
	uint64_t aligned;          /* sum of score_row.aligned, for SCORE_K3 */
	uint64_t means;            /* answers with at least one aligned position */
	struct estimate values[N_SCORE_FIGURES];
};

/* k3 of the answers that decide, and its excess over the floor. */
struct score_excess {
	uint64_t answers;
	struct figure_value k3, same_top; /* n: positions */
	/* k3 of the scorer's own answers, which is the noise between its generation and its
	 * scoring. NaN: not measured, or both sides are one engine. */
	double floor;
	struct estimate over; /* k3 minus the floor; NaN: the floor is NaN */
};

/* The effect of the noise between both engines, if these answers were decoded greedily. */
struct score_flips {
	double sigma;      /* nats; NaN: unknown; the other members are then unknown too */
	double per_tokens; /* of 1,000 tokens, those where another token would be chosen */
	double answers;    /* share of answers that would differ, at their mean length */
};

/* The cost of scoring, compared with the cost of generating the same answers. */
struct score_cost {
	uint64_t answers; /* answers with known times and tokens, whatever their scores say */
	uint64_t scorer_us, of_us; /* sums of the times for scoring and for generating, us */
	uint64_t tokens;           /* tokens of these answers */
	/* tokens of prompts and answers that the scorer read, as it states; the number of
	 * answers for which it states them */
	uint64_t tokens_read, told;
};

struct scores {                                  /* zero-initialised: empty */
	uint64_t legs;                           /* scored legs, whether they count or not */
	uint64_t without, unmatched, unreadable; /* scored legs, by enum score_result */
	/* scored legs that count, but not in k3 (score_basis_is_comparable()) */
	uint64_t processed;
	/* N_SCORE_COLUMNS figures; NULL: nothing was added yet */
	struct clusters *clusters[N_DECODINGS];
	struct rollout rollout;
	struct log_histogram gaps, noise; /* as in struct score_row */
	struct score_cost cost;
	struct advice_engine scorer, of;

	/* scores_settle() and scores_judge() set these. */
	struct score_split splits[N_DECODINGS + 1]; /* the last one is for all answers */
	struct score_excess excess;
};

void scores_add(struct scores *s, const struct score_row *row);
void scores_finish(struct scores *s);

/*
 * True if there are positions on which a verdict can be based. greedy: positions of greedy answers
 * may be used; set it if no greedy answers were compared directly, since a direct comparison shows
 * more.
 */
bool scores_decide(const struct scores *s, bool greedy);
struct score_flips scores_flips(const struct scores *s);
/* Estimates one column over all answers. Not for columns that are rates. */
void scores_estimate(const struct scores *s, size_t column, struct estimate *ret);
/* Computes the splits. Call once, after the last row. */
void scores_settle(struct scores *s);
/*
 * Computes k3 of the answers that decide (scores_decide()). Call after scores_settle(). floor: the
 * scores that the scorer gave its own answers; NULL: none. The scores that the other engine gave
 * its own answers are no floor: if an engine states other probabilities than it draws from, these
 * scores are as large as the difference itself.
 */
void scores_judge(struct scores *s, bool greedy, const struct scores *floor);
