#pragma once
/*
 * verdict - whether two backends answer alike: the one rule behind exit codes and reports. Pure.
 *
 * Two figures decide, each where it has data: the share of differing greedy answers, and the k3 of
 * the tokens of sampled answers that the base scored. Each counts less its floor: what the backends
 * differ from themselves. The rules are tried in this order:
 *
 *	DIFFERENT  a cause is proven within one side, or the interval of a deciding figure over
 *	           its floor begins above the least effect
 *	SAME       that interval ends below the least effect, of each deciding figure
 *	UNCLEAR    neither, or there is no deciding figure
 *
 * Without a measured floor, what is left of k3 is between 0 and its value. Of fewer than
 * VERDICT_SCORE_CLUSTERS clusters k3 shows no SAME: it may be large at few tokens that were not
 * seen. The least effects are in least_effect_default(), unless others are asked for
 * (--least-effect). Shares are from 0 to 1; first differences are per 1,000 comparable tokens, k3
 * is in nats per token.
 */
#include "analyzer/fold/group.h"

enum verdict_word { VERDICT_SAME, VERDICT_DIFFERENT, VERDICT_UNCLEAR };
const char *verdict_word_name(enum verdict_word w); /* "SAME" */

/* What is taken off a figure. */
enum verdict_floor {
	/* How often the backends differed from themselves. */
	VERDICT_FLOOR_MEASURED,
	/* How many answers the numeric noise between the two alone would change. This is right to
	 * a factor of VERDICT_EXPECTED_FACTOR, which the interval over the floor contains. */
	VERDICT_FLOOR_EXPECTED,
	/* Nothing is known: it may be anything up to the figure's maximum. */
	VERDICT_FLOOR_UNKNOWN,
	/* Nothing: both sides are one backend. */
	VERDICT_FLOOR_SELF,
};
const char *verdict_floor_name(enum verdict_floor f); /* "measured" */

#define VERDICT_EXPECTED_FACTOR 2.0

#define VERDICT_SCORE_CLUSTERS 20

enum verdict_figure_kind {
	VERDICT_DIFFER, /* decides */
	VERDICT_ANSWER_CHANGED,
	VERDICT_FIRST_DIFFERENCES,
	VERDICT_K3,         /* decides */
	VERDICT_SCORED_TOP, /* tokens that are the scorer's most probable ones; without a floor */
	N_VERDICT_FIGURES
};

struct verdict_figure {
	/* Of all greedy answers; of VERDICT_K3 and VERDICT_SCORED_TOP of all scored ones that
	 * decide. */
	struct figure_value value;
	double answers; /* that it is of */
	enum verdict_floor from;
	double floor; /* NaN: unknown */
	/* The figure less its floor; value NaN: unknown, intervals NaN: too few answers. */
	struct figure_value over;
	double least_effect; /* NaN: it has none */
};

struct verdict {
	enum verdict_word word;
	const struct cause *proven;          /* within one side; or NULL */
	enum verdict_figure_kind decided_by; /* the deciding figure that gave the word */
	struct verdict_figure figures[N_VERDICT_FIGURES];
	/* Answers with which the interval would no longer hold the least effect, if shares stay as
	 * they are. NaN: no number would do, or none is needed. */
	double needed;
};

/* Of a settled group. */
void verdict_of_group(const struct analysis_group *g, struct verdict *ret);
static inline bool verdict_has(const struct verdict *v, enum verdict_figure_kind kind)
{
	return v->figures[kind].value.n > 0;
}
/* The rules alone: of one deciding figure, and of both. */
enum verdict_word verdict_decide(const struct verdict_figure *deciding, bool proven);
enum verdict_word verdict_join(enum verdict_word a, enum verdict_word b);
