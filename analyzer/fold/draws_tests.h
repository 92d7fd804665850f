#pragma once
/*
 * draws_tests - tests whether the draws of one group follow the stated probabilities and the
 * requested parameters. Each test has the size of its effect, its p value and the number of draws
 * that it needs. All tests of an analysis share one alpha of DRAWS_ALPHA (Holm).
 *
 *	temperature   the ratio is 1 / temperature divided by the requested 1 / temperature.
 *	              Compares the best likelihood at any ratio with the best one within
 *	              DRAWS_RATIO_LEAST of 1, both with their most likely cut. A second test
 *	              must agree (at 5 %, in the same direction): among the few most probable
 *	              tokens, with the most likely penalty instead of a cut
 *	cut           compares the likelihood with the cut and without it, each at its best ratio.
 *	              If a draw is beyond the cut, there is no such cut
 *	penalty       for each kind of penalty, compares the best likelihood of any shift of tokens
 *	              that occurred before with the best one within DRAWS_SHIFT_LEAST of 0, each at
 *	              its best ratio. The smallest p value counts, times the number of kinds
 *	calibration   compares the number of draws of each rank with the number that the stated
 *	              probabilities expect: normal, two-sided, from 200 draws, over ranks with a
 *	              variance of at least 5. Only the part of the difference above
 *	              DRAWS_RANK_LEAST counts; the largest z value decides, p times the ranks
 *	repeats       compares the number x of answers that equal an earlier answer with its
 *	              expected value m. p: exp(x - m) (m / x)^x, an upper bound (Chernoff) of
 *	              P(X >= x) of a Poisson X
 *
 * The p value of a likelihood ratio is by Wilks' theorem (likelihood_p()). The p value of a cut is
 * exact: the probability that no draw is beyond it, if there is no cut, times the number of cuts
 * (DRAWS_CUTS). A kind of cut or of penalty is named only if its log likelihood is 5.3 (log(2 /
 * DRAWS_ALPHA)) above that of each other kind (Royall 1997). Pure.
 */
#include "analyzer/rows/draws_row.h"
#include "analyzer/stats/stats.h"

#define DRAWS_ALPHA 0.01
#define DRAWS_RATIO_LEAST 0.03 /* smaller effects count as rounding, here and in the next two */
#define DRAWS_SHIFT_LEAST 0.02 /* nats */
#define DRAWS_RANK_LEAST 0.01  /* share of draws */
#define DRAWS_RATIO_KNOWN 0.1  /* DRAWS_AS_ASKED: the interval is within this distance of 1 */
#define DRAWS_SHIFT_KNOWN 0.1  /* nats; DRAWS_AS_ASKED: the interval is within this distance of 0 */

enum draws_state {
	DRAWS_TOO_FEW,  /* also: a cut is proven, but the draws fit several kinds of cut */
	DRAWS_AS_ASKED, /* as requested: no cut, no penalty, no other finding */
	DRAWS_NOT_AS_ASKED,
	/* lists of this kind cannot show it, the answers repeat too often to be independent, or (of
	 * a temperature) a penalty hides it */
	DRAWS_CANNOT_BE_TOLD,
};

enum draws_finding { /* what the tests may find */
	DRAWS_FINDING_TEMPERATURE,
	DRAWS_FINDING_TOP_K,
	DRAWS_FINDING_TOP_P,
	DRAWS_FINDING_MIN_P,
	DRAWS_FINDING_PENALTY,
	DRAWS_FINDING_CALIBRATION,
	DRAWS_FINDING_REPEATS,
	DRAWS_FINDING_FILTERED, /* the engine must filter its lists */
	N_DRAWS_FINDINGS,
};
const char *draws_finding_name(enum draws_finding f); /* "temperature" */

/* needed: the number of draws with which the test would show a usual effect: a ratio off by
 * DRAWS_RATIO_KNOWN; a top_k of 10, a top_p of 0.95 or a min_p of 0.05; a shift of
 * DRAWS_SHIFT_KNOWN. NaN: unknown. */
struct draws_test {
	enum draws_state state;
	double p, needed; /* p of a kind of cut is never below p of the most likely cut */
};

struct draws_temperature {
	double asked; /* the requested temperature; NaN: several */
	double ratio; /* actual temperature divided by the requested one */
	/* 95 %, of ratio; NaN: there are no draws. An end beyond the range of ratios for which
	 * the rows have sums is 0 or infinite. low is 0, too, if a penalty was found, because a
	 * penalty hides how low the temperature is. */
	struct interval ci;
	/* the draws follow the lists as they are, whatever temperature was requested */
	bool lists_after;
};

struct draws_cut_found {
	double at; /* the most likely of the cuts without a draw beyond them; NaN: none */
	/* the widest cut with a draw beyond it. The engine's own cut lies between `wider` and
	 * `at`. NaN: none */
	double wider;
	bool after;      /* `at` is of probabilities after temperature */
	double expected; /* number of draws expected beyond `at` if there is no cut */
	double gain;     /* log likelihood with the cut minus that without; 0: no cut fits */
};
#define DRAWS_CUT_KINDS 3

struct draws_shift {        /* estimated for one kind of penalty */
	double nats;        /* above 0: these tokens are drawn less often than stated */
	struct interval ci; /* 95 %, of nats: where the likelihood falls by LIKELIHOOD_DROP */
	double likelihood;  /* the maximum, at `nats` (draws_likelihood.h) */
};

struct draws_penalty_found {
	/* N_DRAWS_PENALTIES: no penalty was found, or the draws fit several kinds */
	enum draws_penalty kind;
	struct draws_shift shifts[N_DRAWS_PENALTIES]; /* for each kind, as if it were `kind` */
	bool shows;                                   /* draws_likelihood_can_show_shift() */
};
/* The shift to report: that of `kind`. If the kind is not known, that of DRAWS_PRESENCE, which is
 * the mean over all tokens that the answer already contained. (The interval of the most likely kind
 * would be too narrow, because the same draws chose the kind; that of all kinds together would be
 * too wide.) */
const struct draws_shift *draws_penalty_shift(const struct draws_penalty_found *p);

struct draws_calibration {
	/* Answers with DRAWS_OUTSIDE, if they are at least 5 and a tenth of the answers with
	 * lists; else 0. So many prove by themselves that the engine does not draw from its
	 * lists: p is below 1e-5. */
	uint64_t outside;
	uint64_t seen[DRAWS_RANKS]; /* draws by rank */
	/* expected number by the stated probabilities; its standard deviation */
	double expected[DRAWS_RANKS], sd[DRAWS_RANKS];
	/* Of the tested ranks, the largest difference of seen and expected, as a share of all
	 * draws. NaN: no rank is tested. */
	double off;
	struct interval off_ci; /* 95 %, normal */
};

struct draws_repeats {
	uint64_t pairs;     /* pairs of answers to the same request */
	uint64_t identical; /* answers that equal an earlier one */
	double expected;    /* the expected value of `identical` */
};

struct draws_findings {
	uint64_t tokens, draws, filtered; /* sums of these members of struct draws_counts */
	uint32_t longest;                 /* tokens in the longest list */
	bool never_samples;               /* each draw is the most probable token of its list */
	enum logprobs_basis lists;
	struct draws_test tests[N_DRAWS_FINDINGS];
	struct draws_temperature temperature;
	struct draws_cut_found cuts[DRAWS_CUT_KINDS]; /* from DRAWS_FINDING_TOP_K on */
	struct draws_penalty_found penalty;
	struct draws_calibration calibration;
	struct draws_repeats repeats;
};

struct draws_group;
/* Makes the tests of all groups and sets their `found`. */
void draws_tests_make(struct draws_group *groups, size_t n);
/* "too_few". Of a temperature, DRAWS_AS_ASKED is "as_asked", of other findings "none". */
const char *draws_state_name(enum draws_state s, bool of_temperature);
