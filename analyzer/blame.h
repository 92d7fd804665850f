#pragma once
/*
 * blame - a difference between two backends against what each of them differs from itself.
 *
 * Both floors known: excess = D(P,R) - (D(P,P') + D(R,R')) / 2, and what is left belongs to the
 * side on trial. One of them: a difference is shown, but not whose it is. None: nothing can be
 * said. Only answers that were decoded greedily count.
 */
#include "analyzer/stats/clusters.h"
#include "analyzer/tally.h"

enum blame_figure { BLAME_DIFFER, BLAME_ANSWER_CHANGED, BLAME_HAZARD, BLAME_TOP_DIFFERS, N_BLAMES };
const char *blame_name(enum blame_figure f); /* as the figures' names are */

enum blame_pair { BLAME_TRIAL, BLAME_OF_BASE, BLAME_OF_TEST, N_BLAME_PAIRS };

#define BLAME_ALPHA 0.01 /* over all figures of a group */

/* The usual least effect: the smallest excess that matters. Shares; the hazard's is per token. */
double blame_least(enum blame_figure f);

struct blame { /* zero-initialised is empty */
	struct clusters *clusters;
	uint64_t pairs[N_BLAME_PAIRS];
	/* Of floors: told by repeats of a prompt, not by second legs. */
	bool of_repeats[N_BLAME_PAIRS];
};

void blame_add(struct blame *b, const uint8_t cluster[CLUSTERS_KEY_SIZE], enum blame_pair pair,
        const struct pair_facts *facts);
void blame_merge(struct blame *b, const struct blame *other);
void blame_finish(struct blame *b);

/* How many a figure is of: answers, those that could be told, tokens at risk, positions. */
double blame_whole(const struct blame *b, enum blame_figure f, enum blame_pair of);

enum blame_ground {
	BLAME_GROUND_NONE, /* no floor */
	BLAME_GROUND_BASE, /* what the base differs from itself */
	BLAME_GROUND_TEST,
	BLAME_GROUND_BOTH,
};
const char *blame_ground_name(enum blame_ground g);
enum blame_ground blame_ground(const struct blame *b);

struct blame_verdict {
	struct estimate by[N_BLAME_PAIRS]; /* value NaN: none */
	struct estimate excess;            /* NaN without a floor */
	/* Of BLAME_ANSWER_CHANGED: the above is the least, this the most; else none. */
	bool is_range;
	struct estimate by_most[N_BLAME_PAIRS], excess_most;
	double p;      /* two-sided, adjusted by Holm over the figures; NaN: no test was made */
	bool alarm;    /* p is under BLAME_ALPHA and the excess above 0 */
	double least;  /* the least effect that was asked for */
	double needed; /* answers that would show an excess of that size; NaN without a floor */
};
/* least: the least effects by figure; NULL: the usual ones. ret[N_BLAMES]. */
void blame_judge(const struct blame *b, const double *least, struct blame_verdict *ret);

/* What may be said of all figures together. */
enum blame_finding {
	BLAME_UNGROUNDED, /* no floor */
	BLAME_ALARMED,
	BLAME_WITHIN, /* more answers would not show an excess that matters: its interval ends below */
	BLAME_UNTOLD, /* too little data to tell a difference from noise */
};
const char *blame_finding_name(enum blame_finding f); /* "none", "alarm", "within", "undecided" */
enum blame_finding blame_finding(const struct blame *b, const struct blame_verdict *v);
