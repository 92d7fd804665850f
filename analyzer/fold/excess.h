#pragma once
/*
 * excess - how much more two backends differ from each other than each of them differs from itself
 * (its noise floor). Greedy answers only.
 *
 * With both floors, excess = D(P,R) - (D(P,P') + D(R,R')) / 2, where D is a figure, P is the test,
 * R the base, and ' means a second answer. With one floor, the excess shows a difference, but not
 * which side causes it. Without a floor, there is no excess.
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

/* Arrays of least effects are indexed by enum excess_figure, and by LEAST_K3 for k3 (scores.h). */
enum { LEAST_K3 = N_EXCESSES, N_LEAST_EFFECTS };
const char *least_effect_name(size_t f); /* "k3" for LEAST_K3, else excess_name() */
/* The default least effect: the smallest excess that matters. It is a share; for EXCESS_HAZARD
 * it is per token, for LEAST_K3 it is nats per token. */
double least_effect_default(size_t f);

struct excess { /* zero-initialised: empty */
	struct clusters *clusters;
	uint64_t pairs[N_EXCESS_PAIRS];
	/* For the two floors: true if repeats of a prompt gave it, not second legs. */
	bool of_repeats[N_EXCESS_PAIRS];
};

void excess_add(struct excess *b, const uint8_t cluster[CLUSTERS_KEY_SIZE], enum excess_pair pair,
        const struct pair_facts *facts);
void excess_finish(struct excess *b);

/* The n of a figure, in order of enum excess_figure: answers, decided answers, tokens at risk,
 * positions. */
double excess_whole(const struct excess *b, enum excess_figure f, enum excess_pair of);

enum excess_ground {
	EXCESS_GROUND_NONE, /* no floor */
	EXCESS_GROUND_BASE, /* the base's floor alone */
	EXCESS_GROUND_TEST,
	EXCESS_GROUND_BOTH,
};
const char *excess_ground_name(enum excess_ground g);
enum excess_ground excess_ground(const struct excess *b);

struct excess_verdict {
	/* the figure, for each kind of pair; value NaN: no data */
	struct estimate by[N_EXCESS_PAIRS];
	struct estimate excess; /* NaN without a floor */
	/* Only for EXCESS_ANSWER_CHANGED: the result is a range. `by` and `excess` are its lower
	 * end, by_most and excess_most its upper end. */
	bool is_range;
	struct estimate by_most[N_EXCESS_PAIRS], excess_most;
	double p;     /* two-sided, adjusted (Holm) over the figures; NaN: no test was made */
	bool alarm;   /* p is below EXCESS_ALPHA and the excess is above 0 */
	double least; /* the least effect */
	/* number of answers that are needed to find an excess of size `least`; NaN: no floor */
	double needed;
};
/* Judges all figures; ret has N_EXCESSES items. least: N_LEAST_EFFECTS least effects; NULL: the
 * defaults. */
void excess_judge(const struct excess *b, const double *least, struct excess_verdict *ret);

/* The finding over all figures. */
enum excess_finding {
	EXCESS_UNGROUNDED, /* no floor */
	EXCESS_ALARMED,
	/* No excess that matters: the upper end of the interval is at most the least effect, so
	 * more answers would not show one. */
	EXCESS_WITHIN,
	EXCESS_UNDECIDED, /* too little data to distinguish a difference from noise */
};
const char *excess_finding_name(enum excess_finding f); /* "none", "alarm", "within", "undecided" */
enum excess_finding excess_finding(const struct excess *b, const struct excess_verdict *v);
