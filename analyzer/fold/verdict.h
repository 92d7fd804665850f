#pragma once
/*
 * verdict - decides whether two backends give the same answers. Exit codes and reports follow this
 * one rule. Pure.
 *
 * Two figures decide, each if it has data: the share of differing greedy answers, and k3 of the
 * sampled tokens that the base scored. Each is taken over its floor: minus the amount by which the
 * backends differ from themselves. The rules apply in this order:
 *
 *	DIFFERENT  a cause is proven within one side, or the interval of a deciding figure over
 *	           its floor begins above the least effect
 *	SAME       for each deciding figure, that interval ends below the least effect
 *	UNCLEAR    otherwise, or there is no deciding figure
 *
 * Without a measured floor, k3 over the floor is between 0 and k3. With fewer than
 * VERDICT_SCORE_CLUSTERS clusters, k3 never gives SAME: it may be large at a few tokens that were
 * not seen. least_effect_default() has the least effects; --least-effect changes them. Shares are
 * from 0 to 1; first differences are per 1,000 comparable tokens; k3 is in nats per token.
 */
#include "analyzer/fold/group.h"

enum verdict_word { VERDICT_SAME, VERDICT_DIFFERENT, VERDICT_UNCLEAR };
const char *verdict_word_name(enum verdict_word w); /* "SAME" */

/* What is subtracted from a figure. */
enum verdict_floor {
	/* Measured: how often the backends differed from themselves. */
	VERDICT_FLOOR_MEASURED,
	/* Expected: the number of answers that numeric noise alone would change. This estimate
	 * is accurate to a factor of VERDICT_EXPECTED_FACTOR, which the interval over the floor
	 * includes. */
	VERDICT_FLOOR_EXPECTED,
	/* Unknown: it may be any value up to the figure's maximum. */
	VERDICT_FLOOR_UNKNOWN,
	/* None: both sides are one backend. */
	VERDICT_FLOOR_SELF,
};
const char *verdict_floor_name(enum verdict_floor f); /* "measured" */

#define VERDICT_EXPECTED_FACTOR 2.0

#define VERDICT_SCORE_CLUSTERS 20
#define VERDICT_NEEDED_MOST 100000.0 /* answers; reports advise no larger number */

enum verdict_figure_kind {
	VERDICT_DIFFER, /* decides */
	VERDICT_ANSWER_CHANGED,
	VERDICT_FIRST_DIFFERENCES,
	VERDICT_K3, /* decides */
	/* share of tokens that are the scorer's most probable ones; has no floor */
	VERDICT_SCORED_TOP,
	N_VERDICT_FIGURES
};

struct verdict_figure {
	/* Over all greedy answers; VERDICT_K3 and VERDICT_SCORED_TOP: over all scored answers
	 * that decide. */
	struct figure_value value;
	double answers; /* number of answers in it */
	enum verdict_floor from;
	double floor; /* NaN: unknown */
	/* The figure minus its floor; value NaN: unknown, interval NaN: too few answers. */
	struct figure_value over;
	double least_effect; /* NaN: none */
};

struct verdict {
	enum verdict_word word;
	const struct cause *proven;          /* a cause within one side; or NULL */
	enum verdict_figure_kind decided_by; /* the figure that gave the word */
	struct verdict_figure figures[N_VERDICT_FIGURES];
	/* The number of answers with which the interval would no longer contain the least
	 * effect, if shares stay the same. NaN: no number is enough, or none is needed. */
	double needed;
};

/* Call after group_settle(). */
void verdict_of_group(const struct analysis_group *g, struct verdict *ret);
static inline bool verdict_has(const struct verdict *v, enum verdict_figure_kind kind)
{
	return v->figures[kind].value.n > 0;
}
/* Applies the rules above to one deciding figure. proven: a cause is proven within one side. */
enum verdict_word verdict_decide(const struct verdict_figure *deciding, bool proven);
/* The number of answers with which the interval of this figure, which has n answers now, would
 * no longer contain its least effect, if shares stay the same; NaN: no number is enough. */
double verdict_needed(const struct verdict_figure *f, double n);
/* The word for both deciding figures together, from the word of each. */
enum verdict_word verdict_join(enum verdict_word a, enum verdict_word b);
