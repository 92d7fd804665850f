#pragma once
/*
 * forced - teacher forcing: what one backend thinks of the tokens that another one gave, out of the
 * legs that `plumbline score` recorded.
 *
 * Every token of an answer counts here, also those behind the first difference between the texts,
 * so these figures are not biased towards what both engines find easy. A position counts where a
 * token begins and ends at the same bytes on both sides.
 */
#include "analyzer/stats/clusters.h"
#include "analyzer/compare/decoding.h"
#include "analyzer/stats/stats.h"
#include "backends/score_match.h"
#include "capture/capture.h"

#define FORCED_GROUPS_LIMIT 64

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

struct forced_figures {
	uint64_t answers; /* scored, with at least one position that counts */
	uint64_t tokens;  /* of these answers */
	uint64_t positions;
	uint64_t with_top,
	        top_equal;      /* positions whose scores name a most probable token: the same */
	struct moments logprob; /* of the token: the answer's side - the scorer's */
	struct exact_sum answer_sum, score_sum; /* of logprobs, over these positions */
	struct moments of_answers;              /* means of logprob, one an answer */
};

struct forced_group {
	char *scorer, *of; /* names of backends */
	enum role scorer_role, of_role;
	uint64_t legs;       /* scored, counted or not */
	uint64_t without;    /* answers recorded without logprobs of their own */
	uint64_t unmatched;  /* answers of which no token is a scored one */
	uint64_t unreadable; /* parts missing or damaged */
	struct forced_figures by[N_DECODINGS];
	struct clusters *clusters[N_DECODINGS]; /* N_FORCED_COLUMNS; NULL: nothing was added */

	/* Once settled; the last ones are of all together. */
	struct estimate values[N_DECODINGS + 1][N_FORCED];
};

struct forced {
	struct forced_group *groups;
	size_t n_groups;
	uint64_t ungrouped; /* beyond FORCED_GROUPS_LIMIT */
	uint64_t orphans;   /* scores of answers that are not in the capture */
};

/* The whole group's. */
struct forced_figures forced_total(const struct forced_group *g);
/* e^-mean of the logprobs; NaN without positions. */
double forced_perplexity(struct exact_sum sum, uint64_t n);

/* A scored leg of an exchange, and the leg that it scored. */
struct forced_pair {
	const struct leg_row *of, *scorer;
	const struct reading *answer, *scored; /* NULL where they can't be had */
	enum decoding decoding;                /* how the answer was made */
	const uint8_t *cluster;                /* CLUSTERS_KEY_SIZE bytes */
};
void forced_add(struct forced *f, const struct forced_pair *pair);
void forced_merge(struct forced *f, const struct forced *other);
void forced_settle(struct forced *f); /* once, after the last one: the estimates */
void forced_finish(struct forced *f);
/* The leg whose tokens a scored leg has scored; n_legs: it is not there. */
size_t forced_leg_of(const struct capture_exchange *e, const struct leg_row *scorer);
