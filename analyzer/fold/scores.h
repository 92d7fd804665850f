#pragma once
/*
 * scores - teacher forcing: the probabilities that the base of a group (the scorer) gives to the
 * tokens that the test generated. A fold over score_row: rows may come in any order. "Own" is what
 * the engine that generated the answer states.
 */
#include "analyzer/fold/advice.h"
#include "analyzer/fold/cause_prompt.h"
#include "analyzer/fold/rollout.h"
#include "analyzer/rows/rows.h"
#include "analyzer/stats/clusters.h"
#include "analyzer/stats/figure_value.h"

/* Figures with an interval: ratios of sums over clusters. */
enum score_figure {
	SCORE_POSITIONS, /* score_row.positions, as a share of the answers' tokens */
	SCORE_SAME_TOP,  /* tops_equal / tops of score_row */
	/* own logprob of a token minus the scorer's, nats */
	SCORE_LOGPROB,
	SCORE_LOGPROB_SQUARE,
	SCORE_OF_ANSWERS, /* mean over answers of the answer's mean of SCORE_LOGPROB */
	SCORE_OWN,        /* own logprob of a token, nats */
	SCORE_SCORER,     /* the scorer's logprob of a token, nats */
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
	SCORE_K3_ANSWERS, /* number of answers that SCORE_K3 includes */
	SCORE_EMPTY,      /* no data is ever added */
	/* of struct score_row; they show how the answer's engine changed its logprobs */
	SCORE_CONTRAST,     /* contrast / contrasts */
	SCORE_GAPS,         /* own_gaps / scorer_gaps */
	SCORE_GAP_PRODUCTS, /* gap_products / scorer_gaps */
	N_SCORE_COLUMNS,
};

/* The sums over answers of one decoding. */
struct score_split {
	uint64_t answers; /* answers with SCORE_COUNTS */
	uint64_t tokens;  /* tokens of these answers */
	uint64_t positions;
	uint64_t tops, tops_equal; /* as in struct score_row */
	uint64_t logprobs;         /* positions with a logprob on both sides */
	uint64_t aligned;          /* sum of score_row.aligned, for SCORE_K3 */
	/* answers with a logprob of both sides at one position or more */
	uint64_t means;
	struct estimate values[N_SCORE_FIGURES];
};

/* k3 of the answers that decide (scores_decide()), and its excess over the floor. */
struct score_excess {
	uint64_t answers;                 /* answers that k3 includes */
	struct figure_value k3, same_top; /* n: positions */
	/* k3 of the scorer's own answers: the noise between its generating and its scoring. NaN:
	 * not measured, or both sides are one engine. */
	double floor;
	struct estimate over; /* k3 minus the floor; value NaN: no floor */
};

/* How many tokens the noise between both engines would change, if these answers were decoded
 * greedily. q = flips_expected() divided by the number of gaps. */
struct score_flips {
	double sigma;      /* first_sigma(), nats; NaN: unknown, then all members are NaN */
	double per_tokens; /* 1,000 q: of 1,000 tokens, those where another token would be chosen */
	double answers;    /* 1 - (1 - q)^n: share of answers that would differ, n: mean length */
};

/* The cost of scoring, compared with the cost of generating the same answers. */
struct score_cost {
	uint64_t answers; /* answers with known times and tokens, also those that do not count */
	/* sums of the times for scoring and for generating, microseconds */
	uint64_t scorer_us, of_us;
	uint64_t tokens; /* tokens of these answers */
	/* tokens_read: tokens of prompts and answers that the scorer read, as the scorer states;
	 * n_stated: answers for which it states this number */
	uint64_t tokens_read, n_stated;
};

struct scores {                /* zero-initialised: empty */
	uint64_t legs;         /* scored legs, whether they count or not */
	uint64_t given_prompt; /* scored legs with score_row.given_prompt */
	/* scored legs that do not count, by enum score_result */
	uint64_t without, unmatched, unreadable;
	/* scored legs that count, but not in k3, because score_basis_is_comparable() is false */
	uint64_t processed;
	/* N_SCORE_COLUMNS columns; NULL: nothing was added yet */
	struct clusters *clusters[N_DECODINGS];
	struct rollout rollout;
	struct log_histogram gaps, noise; /* as in struct score_row */
	struct cause_prompts prompts;     /* prompt tokens of both sides (score_row) */
	struct score_cost cost;
	struct advice_engine scorer, of; /* of: the engine that generated the answers */

	/* scores_settle() and scores_judge() set these. */
	struct score_split splits[N_DECODINGS + 1]; /* the last one is for all answers */
	struct score_excess excess;
};

void scores_add(struct scores *s, const struct score_row *row);
void scores_finish(struct scores *s);

/*
 * True if a verdict can be based on k3: SCORE_K3 has at least one position. greedy: count greedy
 * answers, too. Set it only if no greedy answers were compared directly, because a direct
 * comparison shows more.
 */
bool scores_decide(const struct scores *s, bool greedy);
/* Call after scores_settle(). */
struct score_flips scores_flips(const struct scores *s);
/* Estimates one column over all answers. Not for SCORE_POSITIONS and SCORE_SAME_TOP, whose
 * intervals need another method. */
void scores_estimate(const struct scores *s, size_t column, struct estimate *ret);
/* Computes splits and rollout.values. Call once, after the last row. */
void scores_settle(struct scores *s);
/*
 * Computes `excess`. Call after scores_settle(). greedy: see scores_decide(). floor: the scores
 * that the scorer gave its own answers; NULL: none. Never pass the other engine's scores of its own
 * answers: if that engine states other probabilities than it draws from, their k3 is as large as
 * the difference itself.
 */
void scores_judge(struct scores *s, bool greedy, const struct scores *floor);
