#pragma once
/*
 * forced - teacher forcing: what one backend thinks of the tokens that another one gave. A fold over
 * score_row: rows may come in any order.
 */
#include "analyzer/rows/rows.h"
#include "analyzer/stats/clusters.h"

#define FORCED_GROUPS_LIMIT 64 /* of two names, the first in the alphabet */

/* Figures with an interval: ratios of sums by cluster. */
enum forced_figure {
	FORCED_POSITIONS, /* that count, of the answers' tokens */
	FORCED_SAME_TOP,
	FORCED_LOGPROB, /* of the token: the answer's side - the scorer's */
	FORCED_LOGPROB_SQUARE,
	FORCED_OF_ANSWERS, /* means of it, one an answer */
	FORCED_OWN,        /* of the token, by the answer's side */
	FORCED_SCORER,     /* and by the scorer */
	/* exp(d) - 1 - d with d = scorer's - own: where the answers were sampled from what their logprobs
	 * say, an unbiased estimate of the KL divergence of the answer's side from the scorer's. */
	FORCED_K3,
	N_FORCED,
};
/* A column beside them: its whole counts answers. */
enum { FORCED_ANSWERS = N_FORCED, N_FORCED_COLUMNS };

/* What answers of one decoding add up to. */
struct forced_split {
	uint64_t answers; /* scored, with at least one position that counts */
	uint64_t tokens;  /* of these answers */
	uint64_t positions;
	uint64_t tops, tops_equal; /* as in struct score_row */
	uint64_t logprobs;         /* positions that both have one at */
	uint64_t means;            /* answers with such a position */
	struct estimate values[N_FORCED];
};

struct forced_group {
	char *scorer, *of; /* names of backends */
	enum role scorer_role, of_role;
	uint64_t legs;                               /* scored, counted or not */
	uint64_t without, unmatched, unreadable;     /* as enum score_result has them */
	struct clusters *clusters[N_DECODINGS];      /* N_FORCED_COLUMNS; NULL: nothing was added */
	struct forced_split splits[N_DECODINGS + 1]; /* once settled; the last is of all */
};

struct forced { /* zero-initialised is empty */
	struct forced_group *groups;
	size_t n_groups;
	uint64_t ungrouped; /* scored legs of groups without a place */
	uint64_t orphans;   /* scores of answers that are not in the capture */
};

void forced_add(struct forced *f, const struct score_row *row);
void forced_merge(struct forced *f, const struct forced *other);
void forced_settle(struct forced *f); /* once, after the last row: the splits */
void forced_finish(struct forced *f);
