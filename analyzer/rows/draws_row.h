#pragma once
/*
 * draws_row - what the tokens of one sampled answer say of how they were drawn: each is a draw
 * from the distribution that the engine states for its position.
 *
 * Stated are the logprobs l of a list's tokens. Under what was asked for, a token c that is in
 * the list is drawn with
 *
 *	P(c) = exp(b l_c) / sum of exp(b l_i) over the list, b = 1 / temperature
 *
 * which needs no assumption about tokens outside of the list: a choice that is not in it is no
 * draw here. Figures are sums over draws of the logarithm of this likelihood, or of its slope
 * and curvature, at fixed values of a parameter, in nats. They add up over answers.
 */
#include "backends/dialect.h"
#include "base/id.h"
#include "capture/record.h"

/* Ratio of b to the one that was asked for: 2^((i - 4) / 2), from a quarter to four times. Those
 * in the middle are the ones at which other parameters are looked at. */
#define DRAWS_RATIOS 9
#define DRAWS_RATIO_ASKED 4 /* the number of the ratio 1 */
#define DRAWS_MIDDLE 5
#define DRAWS_MIDDLE_FROM 2
double draws_log_ratio(size_t i); /* of all ratios; natural */

/*
 * Cuts that leave out a part of the list: all tokens but the K most probable ones, all beyond a
 * mass of P, all less probable than M times the most probable one. By mass and by probability
 * before and after temperature; at temperature 1 only those before count, for both are the same.
 */
enum draws_family {
	DRAWS_TOP_K,
	DRAWS_TOP_P,
	DRAWS_MIN_P,
	DRAWS_TOP_P_AFTER, /* after temperature */
	DRAWS_MIN_P_AFTER,
	N_DRAWS_FAMILIES,
};
struct draws_cut {
	enum draws_family family;
	double at;
};
#define DRAWS_CUTS 42
extern const struct draws_cut DRAWS_CUT[DRAWS_CUTS]; /* by family, from the narrowest on */

/*
 * A penalty: P(c) is multiplied by exp(-d x), where x says how often the token had been there.
 * Looked at among the few most probable tokens of a list, which hardly any cut leaves out.
 */
enum draws_penalty {
	DRAWS_REPETITION, /* x = 1: it had been in the answer, or is a word of the request */
	DRAWS_PRESENCE,   /* x = 1: it had been in the answer */
	DRAWS_FREQUENCY,  /* x: how often it had been there, at most DRAWS_COUNT_MOST */
	N_DRAWS_PENALTIES,
};
const char *draws_penalty_name(enum draws_penalty p); /* "repetition" */
#define DRAWS_COUNT_MOST 8
/* Shifts are looked at for every second one of the middle ratios: their likelihood changes slowly
 * from one to the next. */
#define DRAWS_SHIFT_RATIOS 3
#define DRAWS_SHIFT_RATIO(i) (DRAWS_MIDDLE_FROM + 2 * (i))
#define DRAWS_SHIFTS 8
#define DRAWS_SHIFT_NONE 2                     /* the number of the shift 0 */
extern const double DRAWS_SHIFT[DRAWS_SHIFTS]; /* d, nats */

#define DRAWS_RANKS 20

/* Why an answer is not looked at. */
enum draws_exclusion {
	DRAWS_COUNTS, /* it is */
	DRAWS_NO_LISTS,
	DRAWS_UNLISTED,        /* most choices are not in their lists */
	DRAWS_UNKNOWN,         /* the temperature, or the request */
	DRAWS_RESPONSE_FORMAT, /* a grammar chooses */
	DRAWS_TOOLS,           /* tokens of a call */
	DRAWS_LOGIT_BIAS,
	DRAWS_MIN_TOKENS,
	DRAWS_BEAMS,
	DRAWS_PENALTY_ASKED,
	DRAWS_OTHER_SAMPLER, /* asked for: typical_p, mirostat and such */
	DRAWS_REPEATED,      /* the same draws were counted before */
	N_DRAWS_EXCLUSIONS,
};
const char *draws_exclusion_name(enum draws_exclusion e);

/* Sums that are no whole numbers: floats alone, so that they can be added up one by one. Rounded to
 * DRAWS_DIGITS decimal digits, an error far below what draws vary by. */
#define DRAWS_DIGITS 4
struct draws_sums {
	/* By the logarithm of the ratio. */
	float slope[DRAWS_RATIOS], curvature[DRAWS_RATIOS];
	/* The same of draws among the few most probable tokens. */
	float head_slope[DRAWS_RATIOS], head_curvature[DRAWS_RATIOS];
	/* Logarithm of the chance that no draw is beyond the cut, negated: how much more likely
	 * the draws are with it. About how many draws were expected there. */
	float cut[DRAWS_CUTS * DRAWS_MIDDLE];
	/* By the shift, among the few most probable tokens:
	 * [(penalty * DRAWS_SHIFT_RATIOS + ratio) * DRAWS_SHIFTS + shift] */
	float shift_slope[N_DRAWS_PENALTIES * DRAWS_SHIFT_RATIOS * DRAWS_SHIFTS];
	float shift_curvature[N_DRAWS_PENALTIES * DRAWS_SHIFT_RATIOS * DRAWS_SHIFTS];
	/* Of draws by rank in the list, as asked. */
	float expected[DRAWS_RANKS], variance[DRAWS_RANKS];
	float repeats_expected; /* see repeats_identical */
};
#define DRAWS_SUMS (sizeof(struct draws_sums) / sizeof(float))

struct draws_counts {                  /* uint64_t alone */
	uint64_t tokens;               /* with a list */
	uint64_t draws;                /* of these: the choice is one of the list's */
	uint64_t cut_seen[DRAWS_CUTS]; /* draws beyond the cut */
	uint64_t chosen[DRAWS_RANKS];  /* draws by rank */
	/* Lists with fewer tokens than others, or tokens without a logprob, where no cut was
	 * asked for. */
	uint64_t filtered;
	/* Earlier answers to the same request; and whether this one is the same as one of them,
	 * against the chance of that: repeats_expected. */
	uint64_t repeats_pairs, repeats_identical;
};
#define DRAWS_TOTALS (sizeof(struct draws_counts) / sizeof(uint64_t))

/* What the engine's own configuration says it does where nobody asks; 0: it says nothing. */
struct draws_stated {
	double temperature, top_k, top_p, min_p, penalty;
};

struct draws_row {
	struct id exchange, leg;
	int32_t choice;
	const char *backend;
	enum role role;
	const char *model, *replica; /* NULL: not known */
	struct id stack;             /* zero: not known */
	enum draws_exclusion excluded;
	/* Valid where it is not excluded: */
	enum logprobs_basis lists; /* what they are of, as the engine tells or is known to do */
	double temperature;        /* asked for; where nobody did, the API's default */
	bool unasked;              /* nobody asked */
	uint64_t seed;             /* hash of the one that was asked for, below 2^53; 0: none */
	uint32_t longest;          /* list */
	struct draws_stated stated;
	struct draws_counts counts;
	struct draws_sums sums;
};
