#pragma once
/*
 * draws_row - how the tokens of one sampled answer were drawn. A draw is a token that the engine
 * drew from the candidates at its position (draws_list.h).
 *
 * The engine states logprobs l. With the requested parameters, the candidate c is drawn with the
 * probability
 *
 *	P(c) = exp(b l_c) / sum of exp(b l_i) over the candidates, b = 1 / temperature
 *
 * A position at which the engine chose another token does not count, so nothing is assumed about
 * such tokens. The likelihood of an answer is the product of P over its draws. Most figures are
 * slope and curvature of the log likelihood (stats/likelihood.h) at fixed values of a parameter, in
 * nats. They are sums over draws, so the figures of several answers can be added.
 */
#include "backends/dialects/dialect.h"
#include "base/id.h"
#include "capture/record.h"

/* The likelihood is computed for several values of b. The ratio of b to the requested b goes from
 * 1/4 to 4: ratio i is 2 to the power of (i - 4) / 2. Cuts are examined only at the *middle*
 * ratios: DRAWS_MIDDLE ones from DRAWS_MIDDLE_FROM on. */
#define DRAWS_RATIOS 9
#define DRAWS_RATIO_ASKED 4 /* the index of ratio 1 */
#define DRAWS_MIDDLE 5
#define DRAWS_MIDDLE_FROM 2
double draws_log_ratio(size_t i); /* natural logarithm of ratio i */

/*
 * Cuts: what truncation excludes. top_k K: all but the K most probable tokens. top_p P: all tokens
 * after those whose probabilities sum to P. min_p M: all tokens less probable than M times the most
 * probable one. Probabilities are taken before temperature, or after it (AFTER). At temperature 1
 * both are the same, and only the cuts before temperature are examined.
 */
enum draws_family {
	DRAWS_TOP_K,
	DRAWS_TOP_P,
	DRAWS_MIN_P,
	DRAWS_TOP_P_AFTER, /* after temperature */
	DRAWS_MIN_P_AFTER,
};
struct draws_cut {
	enum draws_family family;
	double at;
};
#define DRAWS_CUTS 42
/* ordered by family, then the narrowest cut first */
extern const struct draws_cut DRAWS_CUT[DRAWS_CUTS];

/*
 * Penalties multiply P(c) by exp(-d x): d is the size of the penalty (the shift), x says whether or
 * how often the token occurred before. They are examined among the few most probable tokens of a
 * list, which truncation rarely excludes.
 */
enum draws_penalty {
	DRAWS_REPETITION, /* x = 1: it occurred in the answer, or is a word of the request */
	DRAWS_PRESENCE,   /* x = 1: it occurred in the answer */
	DRAWS_FREQUENCY,  /* x = how often it occurred in the answer, at most DRAWS_COUNT_MOST */
	N_DRAWS_PENALTIES,
};
const char *draws_penalty_name(enum draws_penalty p); /* "repetition" */
#define DRAWS_COUNT_MOST 8
/* Shifts are examined at every second one of the middle ratios, because their likelihood changes
 * slowly between ratios. DRAWS_SHIFT_RATIO: index of the ratio. */
#define DRAWS_SHIFT_RATIOS 3
#define DRAWS_SHIFT_RATIO(i) (DRAWS_MIDDLE_FROM + 2 * (i))
#define DRAWS_SHIFTS 8
extern const double DRAWS_SHIFT[DRAWS_SHIFTS]; /* d, nats */

#define DRAWS_RANKS 20

/* Why an answer's draws are not counted. */
enum draws_exclusion {
	DRAWS_COUNTS, /* they are counted */
	DRAWS_NO_LISTS,
	DRAWS_UNLISTED,        /* most chosen tokens are no candidates */
	DRAWS_UNKNOWN,         /* the temperature or the request is unknown */
	DRAWS_RESPONSE_FORMAT, /* a grammar restricts the choice */
	DRAWS_TOOLS,           /* it calls a tool, or must */
	DRAWS_LOGIT_BIAS,
	DRAWS_MIN_TOKENS,
	DRAWS_BEAMS,
	DRAWS_PENALTY_ASKED,
	DRAWS_OTHER_SAMPLER, /* requested: typical_p, mirostat and others */
	DRAWS_REPEATED,      /* these draws were counted already, or may have been: same seed */
	/* Most chosen tokens of at least 20 are no candidates, although the lists leave less than
	 * a quarter of the probability to tokens that are no candidates. By chance, fewer than 1
	 * of 250 answers are like this. */
	DRAWS_OUTSIDE,
	N_DRAWS_EXCLUSIONS,
};
const char *draws_exclusion_name(enum draws_exclusion e);

/* Those sums over an answer's draws that are not whole numbers. All members are doubles, so that
 * a loop can add them. In a row they are rounded to DRAWS_DIGITS significant decimal digits,
 * which is far below the variation of draws, and then to floats. */
#define DRAWS_DIGITS 4
struct draws_sums {
	/* at each ratio: of the log likelihood as a function of the logarithm of the ratio */
	double slope[DRAWS_RATIOS], curvature[DRAWS_RATIOS];
	/* the same, for draws among the few most probable tokens */
	double head_slope[DRAWS_RATIOS], head_curvature[DRAWS_RATIOS];
	/* For each cut and middle ratio: minus the logarithm of the probability that no draw is
	 * beyond the cut, if the engine has no such cut. If no draw is beyond the cut, the cut
	 * makes the log likelihood higher by this value. The value is about the expected number of
	 * draws beyond the cut. */
	double cut[DRAWS_CUTS][DRAWS_MIDDLE];
	/* of the log likelihood as a function of the shift, among the few most probable tokens */
	double shift_slope[N_DRAWS_PENALTIES][DRAWS_SHIFT_RATIOS][DRAWS_SHIFTS];
	double shift_curvature[N_DRAWS_PENALTIES][DRAWS_SHIFT_RATIOS][DRAWS_SHIFTS];
	/* For each rank among the candidates (0: the most probable): the expected number of
	 * draws with the requested parameters, and its variance. */
	double expected[DRAWS_RANKS], variance[DRAWS_RANKS];
};
#define DRAWS_SUMS (sizeof(struct draws_sums) / sizeof(double))

struct draws_counts {                  /* all members are uint64_t */
	uint64_t tokens;               /* tokens with a list */
	uint64_t draws;                /* tokens that are candidates: the draws */
	uint64_t cut_seen[DRAWS_CUTS]; /* draws beyond each cut */
	uint64_t chosen[DRAWS_RANKS];  /* draws by rank among the candidates */
	/* lists for which draws_list_read() set *ret_filtered, although the request asked for no
	 * truncation */
	uint64_t filtered;
	/* repeats_pairs: draws_before.pairs (draws_rows.h). repeats_identical: 1 if this answer
	 * equals one of those answers, else 0. */
	uint64_t repeats_pairs, repeats_identical;
};
#define DRAWS_TOTALS (sizeof(struct draws_counts) / sizeof(uint64_t))

/* Defaults that the engine states. 0: it states none, or one that is off. */
struct draws_stated {
	double temperature, top_k, top_p, min_p, penalty;
};

struct draws_row {
	struct id exchange, leg;
	int32_t choice;
	const char *backend;
	enum role role;
	const char *model, *replica; /* NULL: unknown */
	struct id stack;             /* zero: unknown */
	/* If this is not DRAWS_COUNTS, `seed`, `sums` and `counts` are 0, except the counts of
	 * repeats. */
	enum draws_exclusion excluded;
	/* the distribution that the lists show: as the engine states, else as its dialect says */
	enum logprobs_basis lists;
	double temperature; /* the requested one, else the API's default */
	bool unasked;       /* no temperature was requested */
	uint64_t seed;      /* hash of the requested seed and the choice, below 2^53; 0: no seed */
	uint32_t longest;   /* draws_list_usual() */
	struct draws_stated stated;
	struct draws_counts counts;
	struct draws_sums sums;
	float repeats_expected; /* upper bound of the expected value of counts.repeats_identical */
};
