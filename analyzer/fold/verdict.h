#pragma once
/*
 * verdict - decides whether two backends give the same answers. Exit codes and reports follow this
 * one rule. Pure.
 *
 * Two figures decide, each if it has data: VERDICT_DIFFER, the share of differing greedy answers,
 * and VERDICT_K3, k3 of the answers that the base scored. *Over its floor* means: minus the part by
 * which the backends differ from themselves. The first rule that applies:
 *
 *	DIFFERENT  a cause is proven within one side, or the interval of a deciding figure over
 *	           its floor begins above the figure's least effect
 *	SAME       for each deciding figure, this interval ends below the least effect
 *	UNCLEAR    otherwise, or there is no deciding figure
 *
 * A cause is proven within one side if only one side has it, and this side's own greedy answers or
 * draws show it without the other side (SIDE_FROM_OWN_ANSWERS). In a group of one engine, the
 * engine's scores of its own answers prove a cause, too.
 *
 * Without a measured floor, k3 over the floor is between 0 and k3. With fewer than
 * VERDICT_SCORE_CLUSTERS clusters, k3 never gives SAME: it may be large at a few tokens that were
 * not seen. least_effect_default() (excess.h) has the least effects; --least-effect changes them.
 * Units: shares are from 0 to 1; first differences are per 1,000 comparable positions; k3 is in
 * nats per token.
 */
#include "analyzer/fold/group.h"

enum verdict_word { VERDICT_SAME, VERDICT_DIFFERENT, VERDICT_UNCLEAR };
const char *verdict_word_name(enum verdict_word w); /* "SAME" */

/* Where the floor of a figure comes from. */
enum verdict_floor {
	/* measured: how often the backends differed from themselves */
	VERDICT_FLOOR_MEASURED,
	/* Expected: the figure that numeric noise alone would give (flips_expected()). The
	 * estimate is accurate to a factor of VERDICT_EXPECTED_FACTOR, which the interval over
	 * the floor includes. */
	VERDICT_FLOOR_EXPECTED,
	/* unknown: the floor may be any value from 0 to the figure's maximum; of VERDICT_K3, from 0
	 * to k3 */
	VERDICT_FLOOR_UNKNOWN,
	/* no floor: both sides are one backend */
	VERDICT_FLOOR_SELF,
};
const char *verdict_floor_name(enum verdict_floor f); /* "measured" */

#define VERDICT_EXPECTED_FACTOR 2.0

#define VERDICT_SCORE_CLUSTERS 20
#define VERDICT_NEEDED_MOST 100000.0 /* a number of answers; reports advise no larger one */

enum verdict_figure_kind {
	VERDICT_DIFFER, /* decides */
	VERDICT_ANSWER_CHANGED,
	VERDICT_FIRST_DIFFERENCES,
	VERDICT_K3, /* decides */
	/* share of tokens that are the scorer's most probable ones; for information, without a
	 * floor */
	VERDICT_SCORED_TOP,
	N_VERDICT_FIGURES
};

struct verdict_figure {
	/* over all greedy answers; VERDICT_K3 and VERDICT_SCORED_TOP: over the scored answers
	 * that decide */
	struct figure_value value;
	double answers; /* number of answers (pairs) in it */
	enum verdict_floor from;
	double floor; /* NaN: unknown */
	/* the figure minus its floor; value NaN: unknown; interval NaN: too few answers */
	struct figure_value over;
	double least_effect; /* NaN: none */
};

struct verdict {
	enum verdict_word word;
	const struct cause *proven;          /* a cause proven within one side; NULL: none */
	enum verdict_figure_kind decided_by; /* the figure that gave the word */
	struct verdict_figure figures[N_VERDICT_FIGURES];
	/* If the word is UNCLEAR: verdict_needed() of the figure decided_by; for VERDICT_K3,
	 * enough answers for VERDICT_SCORE_CLUSTERS, too. Else NaN. */
	double needed;
};

/* Call after group_settle(). */
void verdict_of_group(const struct analysis_group *g, struct verdict *ret);
/* True if there are data for this figure. */
static inline bool verdict_has(const struct verdict *v, enum verdict_figure_kind kind)
{
	return v->figures[kind].value.n > 0;
}
/* The word that the rules above give for one deciding figure, apart from the rule of
 * VERDICT_SCORE_CLUSTERS. proven: a cause is proven within one side. */
enum verdict_word verdict_decide(const struct verdict_figure *deciding, bool proven);
/* The number of answers that would be enough to decide: with as many, the interval of this figure
 * over its floor would no longer contain the least effect, if shares stay the same. n: the number
 * of answers now. NaN: no number is enough. */
double verdict_needed(const struct verdict_figure *f, double n);
/* The word for both deciding figures together, from the word of each. */
enum verdict_word verdict_join(enum verdict_word a, enum verdict_word b);
