#pragma once
/*
 * draws_tests - the tests of the draws of one group, each with the size of its effect, its p value
 * and the number of draws that it needs. All tests of an analysis share one alpha of DRAWS_ALPHA
 * (Holm).
 *
 *	temperature   compares the likelihood at the most likely ratio of 1 / temperature to the
 *	              requested one with the best likelihood within DRAWS_RATIO_LEAST of 1; both
 *	              with the most likely cut. The same test among the few most probable tokens,
 *	              with the most likely penalty, must agree
 *	cut           compares the likelihood with the cut and without it, at any temperature. With
 *	              a draw beyond the cut it is 0
 *	penalty       compares the likelihood of the most likely shift of tokens that occurred
 *	              before with the best within DRAWS_SHIFT_LEAST of no shift, at any temperature
 *	calibration   compares the number of draws of each rank with the stated probabilities; the
 *	              largest z
 *	repeats       compares the number of answers that equal an earlier one with its expected
 *	              value: Poisson
 *
 * A likelihood ratio gives a p value by Wilks' theorem. That of a cut is exact: the probability
 * that no draw is beyond it. Pure.
 */
#include "analyzer/rows/draws_row.h"
#include "analyzer/stats/stats.h"

#define DRAWS_ALPHA 0.01
#define DRAWS_RATIO_LEAST 0.03 /* smaller effects count as rounding */
#define DRAWS_SHIFT_LEAST 0.02 /* nats */
#define DRAWS_RANK_LEAST 0.01  /* share of draws */
#define DRAWS_RATIO_KNOWN 0.1  /* "as requested": the interval is within this distance of 1 */
#define DRAWS_SHIFT_KNOWN 0.1  /* nats; "no penalty": the interval is within this distance of 0 */

enum draws_state {
	DRAWS_TOO_FEW,
	DRAWS_AS_ASKED, /* as requested; for cuts, penalties and the others: none was found */
	DRAWS_NOT_AS_ASKED,
	DRAWS_CANNOT_BE_TOLD, /* lists of this kind cannot show it */
};

/* In the following, needed is the number of draws with which the test would show a usual effect;
 * NaN: unknown. */
struct draws_temperature {
	enum draws_state state;
	double asked;       /* the requested temperature; NaN: several */
	double ratio;       /* actual temperature divided by the requested one */
	struct interval ci; /* 95 %, of ratio; NaN: there are no draws */
	bool lists_after;   /* the lists fit without a change, whatever temperature was requested */
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
	struct interval ci;      /* 95 %, of shift, over all kinds that the draws do not exclude */
	double p, needed;
};

struct draws_calibration {
	enum draws_state state;
	uint64_t seen[DRAWS_RANKS]; /* draws by rank */
	/* expected by the stated probabilities; standard deviation */
	double expected[DRAWS_RANKS], sd[DRAWS_RANKS];
	double p;
};

struct draws_repeats {
	enum draws_state state;
	uint64_t pairs;     /* pairs of answers to one request */
	uint64_t identical; /* answers that equal an earlier one */
	double expected, p; /* expected value of identical; p of the test */
};

struct draws_findings {
	uint64_t tokens, draws, filtered; /* sums of these members of struct draws_counts */
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
/* Makes the tests of all groups and sets their `found`. */
void draws_tests_make(struct draws_group *groups, size_t n);
const char *draws_state_name(enum draws_state s, bool of_temperature); /* "as_asked", "none" */
