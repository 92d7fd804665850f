#pragma once
/*
 * verdict - whether two backends answer alike: the one rule behind exit codes and reports. Pure.
 *
 * The share of differing greedy answers decides, less the floor: what the backends differ from
 * themselves. The rules are tried in this order:
 *
 *	DIFFERENT  a cause is proven within one side, or the interval of the difference over the
 *	           floor begins above the least effect
 *	SAME       that interval ends below the least effect
 *	UNCLEAR    neither
 *
 * The least effects are in excess_least_effect(), unless others are asked for (--least-effect).
 * Shares are from 0 to 1; first differences are per 1,000 comparable tokens.
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

enum verdict_figure_kind {
	VERDICT_DIFFER, /* decides */
	VERDICT_ANSWER_CHANGED,
	VERDICT_FIRST_DIFFERENCES,
	N_VERDICT_FIGURES
};

struct verdict_figure {
	struct figure_value value; /* of all greedy answers */
	enum verdict_floor from;
	double floor; /* NaN: unknown */
	/* The figure less its floor; value NaN: unknown, intervals NaN: too few answers. */
	struct figure_value over;
	double least_effect;
};

struct verdict {
	enum verdict_word word;
	const struct cause *proven; /* within one side; or NULL */
	struct verdict_figure figures[N_VERDICT_FIGURES];
	/* Answers with which the interval would no longer hold the least effect, if shares stay as
	 * they are. NaN: no number would do, or none is needed. */
	double needed;
};

/* Of a settled group. */
void verdict_of_group(const struct analysis_group *g, struct verdict *ret);
/* The rules alone. */
enum verdict_word verdict_decide(const struct verdict_figure *deciding, bool proven);
