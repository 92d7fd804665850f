#pragma once
/*
 * scores - teacher forcing: what the base of a group thinks of the tokens that the test gave. A
 * fold over score_row: rows may come in any order.
 */
#include "analyzer/causes/advice.h"
#include "analyzer/fold/rollout.h"
#include "analyzer/rows/rows.h"
#include "analyzer/stats/clusters.h"
#include "analyzer/stats/figure_value.h"

/* Figures with an interval: ratios of sums by cluster. */
enum score_figure {
	SCORE_POSITIONS, /* that count, of the answers' tokens */
	SCORE_SAME_TOP,
	SCORE_LOGPROB, /* of the token: the answer's side - the scorer's */
	SCORE_LOGPROB_SQUARE,
	SCORE_OF_ANSWERS, /* means of it, one an answer */
	SCORE_OWN,        /* of the token, by the answer's side */
	SCORE_SCORER,     /* and by the scorer */
	/* exp(d) - 1 - d with d = scorer's - own: where the answers were sampled from what their
	 * logprobs say, an unbiased estimate of the KL divergence of the answer's side from the
	 * scorer's. */
	SCORE_K3,
	N_SCORE_FIGURES,
};
/* Columns beside them. */
enum {
	SCORE_ANSWERS = N_SCORE_FIGURES, /* answers, which are its whole */
	SCORE_EMPTY,                     /* stays empty */
	/* What the answer's engine did to its logprobs: struct score_row. */
	SCORE_CONTRAST,
	SCORE_GAPS, /* its squares over the scorer's */
	SCORE_GAP_PRODUCTS,
	N_SCORE_COLUMNS,
};

/* What answers of one decoding add up to. */
struct score_split {
	uint64_t answers; /* scored, with at least one position that counts */
	uint64_t tokens;  /* of these answers */
	uint64_t positions;
	uint64_t tops, tops_equal; /* as in struct score_row */
	uint64_t logprobs;         /* positions that both have one at */
	uint64_t aligned;          /* of these, as in struct score_row: of SCORE_K3 */
	uint64_t means;            /* answers with such a position */
	struct estimate values[N_SCORE_FIGURES];
};

/* k3 of the answers that decide, and what is left of it over the floor. */
struct score_excess {
	uint64_t answers;
	struct figure_value k3, same_top; /* n: positions */
	/* k3 of the scorer's own answers: the noise between its generating and its scoring. NaN: it
	 * was not measured, or both sides are one engine. */
	double floor;
	struct estimate over; /* NaN likewise */
};

/* What the noise between both engines would do to these answers if they were decoded greedily. */
struct score_flips {
	double sigma;      /* nats; NaN: not known, and so is the rest */
	double per_tokens; /* of 1,000 tokens, those at which another one would be chosen */
	double answers;    /* share that would differ, by their mean length */
};

/* What scoring took, beside what the same answers took the engine that generated them. */
struct score_cost {
	uint64_t answers; /* whose times and tokens are known, whatever their scores say */
	uint64_t scorer_us, of_us;
	uint64_t tokens;      /* of these answers */
	uint64_t tokens_read; /* of prompts and answers, where the scorer tells ... */
	uint64_t told;        /* ... of so many answers */
};

struct scores {                                  /* zero-initialised is empty */
	uint64_t legs;                           /* scored, counted or not */
	uint64_t without, unmatched, unreadable; /* as enum score_result has them */
	uint64_t
	        processed; /* of those that count: not in k3, as score_basis_is_comparable() says */
	struct clusters *clusters[N_DECODINGS]; /* N_SCORE_COLUMNS; NULL: nothing was added */
	struct rollout rollout;
	struct log_histogram gaps, noise; /* as in struct score_row */
	struct score_cost cost;
	struct advice_engine scorer, of;

	/* Once settled. */
	struct score_split splits[N_DECODINGS + 1]; /* the last is of all */
	struct score_excess excess;
};

void scores_add(struct scores *s, const struct score_row *row);
void scores_finish(struct scores *s);

/*
 * Do any positions decide? Those of greedy answers do where greedy is set: that is, where no greedy
 * answers are compared, which would tell more.
 */
bool scores_decide(const struct scores *s, bool greedy);
struct score_flips scores_flips(const struct scores *s);
/* Of one column, over all answers; unless it is a rate. */
void scores_estimate(const struct scores *s, size_t column, struct estimate *ret);
/* Once, after the last row: the splits. */
void scores_settle(struct scores *s);
/*
 * Afterwards: k3 of the answers that decide. floor: the scorer's scores of its own answers; NULL:
 * none. Those of the other side's answers by its own engine are no floor: where an engine states
 * other probabilities than it draws from, they are as large as what they would be taken off.
 */
void scores_judge(struct scores *s, bool greedy, const struct scores *floor);
