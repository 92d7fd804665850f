#pragma once
/*
 * draws_tests - the tests of the draws of one group, each with its size, its p value and the number
 * of tokens that it needs. All tests of an analysis share one alpha of DRAWS_ALPHA (Holm).
 *
 *	temperature   likelihood of the ratio of 1 / temperature to the requested one, at its
 *	              maximum against the best within DRAWS_RATIO_LEAST of 1, both with the most
 *	              likely cut; and among the few most probable tokens with the most likely
 *	              penalty, which must agree
 *	cut           likelihood with the cut against that without, at any temperature. It is 0 with
 *	              a draw beyond the cut
 *	penalty       likelihood of a shift of tokens that occurred before, at any temperature,
 *	              against the best within DRAWS_SHIFT_LEAST of none
 *	calibration   draws by rank against the stated probabilities: the largest z
 *	repeats       answers that equal an earlier one, against the chance of that: Poisson
 *
 * A likelihood ratio becomes a p value by Wilks' theorem; that of a cut is exact: the chance that
 * no draw is beyond it. Pure.
 */
#include "analyzer/rows/draws_row.h"
#include "analyzer/stats/stats.h"

#define DRAWS_ALPHA 0.01
#define DRAWS_RATIO_LEAST 0.03 /* smaller effects mean nothing: engines round */
#define DRAWS_SHIFT_LEAST 0.02 /* nats */
#define DRAWS_RANK_LEAST 0.01  /* share of draws */
#define DRAWS_RATIO_KNOWN 0.1  /* as requested: the interval ends within this of 1 */
#define DRAWS_SHIFT_KNOWN 0.1  /* nats; none: likewise */

enum draws_state {
	DRAWS_TOO_FEW,
	DRAWS_AS_ASKED, /* of cuts, penalties and others: none */
	DRAWS_NOT_AS_ASKED,
	DRAWS_CANNOT_BE_TOLD, /* lists of this kind do not show it */
};

/* needed: the number of draws with which the test would show a usual effect; NaN: unknown. */
struct draws_temperature {
	enum draws_state state;
	double asked;       /* NaN: several */
	double ratio;       /* of the actual temperature to the requested one */
	struct interval ci; /* 95 %; NaN: without draws */
	bool lists_after;   /* the lists fit as they are, at any requested temperature */
	double p, needed;
};

struct draws_cut_found {
	enum draws_state state;
	double at;       /* the narrowest cut without a draw beyond it; NaN: none */
	double wider;    /* the widest cut that has draws beyond it; NaN: none */
	bool after;      /* the cut is of probabilities after temperature */
	double expected; /* number of draws expected beyond `at` if there is no cut */
	double p, needed;
};
enum { DRAWS_CUT_TOP_K, DRAWS_CUT_TOP_P, DRAWS_CUT_MIN_P, N_DRAWS_CUT_KINDS };

struct draws_penalty_found {
	enum draws_state state;
	enum draws_penalty kind; /* N_DRAWS_PENALTIES: unknown */
	double shift;            /* nats; above 0: these tokens are drawn less often than stated */
	struct interval ci;      /* 95 %, over all kinds that the draws do not exclude */
	double p, needed;
};

struct draws_calibration {
	enum draws_state state;
	uint64_t seen[DRAWS_RANKS];
	double expected[DRAWS_RANKS], sd[DRAWS_RANKS];
	double p;
};

struct draws_repeats {
	enum draws_state state;
	uint64_t pairs;     /* of answers to one request */
	uint64_t identical; /* answers that equal an earlier one */
	double expected, p; /* expected: of identical */
};

struct draws_findings {
	uint64_t tokens, draws, filtered; /* sums of those of struct draws_counts */
	uint32_t longest;                 /* tokens in the longest list */
	enum logprobs_basis lists;
	struct draws_temperature temperature;
	struct draws_cut_found cuts[N_DRAWS_CUT_KINDS];
	struct draws_penalty_found penalty;
	struct draws_calibration calibration;
	struct draws_repeats repeats;
};

/* True if enough lists are shorter than the longest ones to show a filter. */
bool draws_lists_are_filtered(const struct draws_findings *f);

struct draws_group;
/* Makes the findings of all groups. */
void draws_tests_make(struct draws_group *groups, size_t n);
const char *draws_state_name(enum draws_state s, bool of_temperature); /* "as_asked", "none" */
