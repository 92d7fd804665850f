#pragma once
/*
 * excess - how much more two backends differ from each other than each of them differs from itself
 * (its noise floor). Greedy answers only. D is a figure, P is the test, R the base, and ' means a
 * second answer of the same backend:
 *
 *	both floors   excess = D(P,R) - (D(P,P') + D(R,R')) / 2
 *	one floor     excess = D(P,R) minus this floor. It does not show which side is the cause
 *	no floor      there is no excess
 */
#include "analyzer/stats/clusters.h"
#include "analyzer/fold/pair_sums.h"

enum excess_figure {
	EXCESS_DIFFER,
	EXCESS_ANSWER_CHANGED,
	EXCESS_HAZARD,
	EXCESS_TOP_DIFFERS,
	N_EXCESSES
};
const char *excess_name(enum excess_figure f); /* the name of the figure */

enum excess_pair { EXCESS_BETWEEN, EXCESS_OF_BASE, EXCESS_OF_TEST, N_EXCESS_PAIRS };

#define EXCESS_ALPHA 0.01 /* for all figures of a group together */

/* Indexes of arrays of least effects: enum excess_figure, and LEAST_K3 for k3 (scores.h). */
enum { LEAST_K3 = N_EXCESSES, N_LEAST_EFFECTS };
const char *least_effect_name(size_t f); /* "k3" for LEAST_K3, else excess_name() */
/* The default least effect: the smallest excess that matters. Units: LEAST_K3: nats per token;
 * EXCESS_HAZARD: first differences per token; the others: a share from 0 to 1. */
double least_effect_default(size_t f);

struct excess { /* zero-initialised: empty */
	struct clusters *clusters;
	uint64_t pairs[N_EXCESS_PAIRS];
	/* this floor comes from repeats of a prompt, not from a second answer to the same request;
	 * set by group_settle() */
	bool of_repeats[N_EXCESS_PAIRS];
};

void excess_add(struct excess *b, const uint8_t cluster[CLUSTERS_KEY_SIZE], enum excess_pair pair,
        const struct pair_facts *facts);
void excess_finish(struct excess *b);

/* The n of a figure for one kind of pair. EXCESS_DIFFER, EXCESS_ANSWER_CHANGED: pairs of
 * answers. EXCESS_HAZARD: comparable positions. EXCESS_TOP_DIFFERS: positions where the most
 * probable token of both sides is known. */
double excess_whole(const struct excess *b, enum excess_figure f, enum excess_pair of);

enum excess_ground {
	EXCESS_GROUND_NONE, /* no floor */
	EXCESS_GROUND_BASE, /* only the base's floor */
	EXCESS_GROUND_TEST,
	EXCESS_GROUND_BOTH,
};
const char *excess_ground_name(enum excess_ground g);
enum excess_ground excess_ground(const struct excess *b);

struct excess_verdict {
	/* the figure for each kind of pair; value NaN: no data */
	struct estimate by[N_EXCESS_PAIRS];
	struct estimate excess; /* value NaN: no floor */
	/* Set only for EXCESS_ANSWER_CHANGED: the result is a range. `by` and `excess` are its
	 * lower end, by_most and excess_most its upper end. */
	bool is_range;
	struct estimate by_most[N_EXCESS_PAIRS], excess_most;
	/* Tests that the excess is 0: two-sided, Student's t, adjusted (Holm) over the figures;
	 * NaN: not tested. The standard error is at least that which half an event more in each
	 * share would give. p is at least 2^(1 - n), where n is the smaller one of the number of
	 * events between the sides and that of clusters. EXCESS_ANSWER_CHANGED: p is 1 if the
	 * lower end of the excess is at most 0. */
	double p;
	bool alarm;   /* p is below EXCESS_ALPHA, and the whole interval of the excess is above 0 */
	double least; /* the least effect */
	/* power_needed() pairs of answers to find an excess of size `least`, at EXCESS_ALPHA /
	 * N_EXCESSES; NaN: no floor */
	double needed;
};
/* Judges all figures; ret has N_EXCESSES items. least: N_LEAST_EFFECTS least effects; NULL: the
 * defaults. */
void excess_judge(const struct excess *b, const double *least, struct excess_verdict *ret);

/*
 * Finds the side whose run-to-run noise alone explains the excess: both floors are known, and this
 * side's floor is at least D(P,R). EXCESS_BETWEEN: neither side. (If one side's answers vary, and
 * the other side always gives the most frequent of these answers, D(P,R) is between half of the
 * first side's floor and this floor.)
 */
enum excess_pair excess_noisy_side(const struct excess *b, const struct excess_verdict *v);

/* The finding over all figures. The first that applies: */
enum excess_finding {
	EXCESS_UNGROUNDED, /* no floor */
	EXCESS_ALARMED,
	/* no excess that matters: the interval of EXCESS_DIFFER ends at or below its least
	 * effect */
	EXCESS_WITHIN,
	EXCESS_UNDECIDED, /* none of these: too little data */
};
const char *excess_finding_name(enum excess_finding f); /* "none", "alarm", "within", "undecided" */
enum excess_finding excess_finding(const struct excess *b, const struct excess_verdict *v);
