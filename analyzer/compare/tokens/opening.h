#pragma once
/*
 * opening - compares the first tokens of two answers, where both sides have the same bytes before
 * them whatever was drawn later. So sampled answers are compared there, by the probabilities and
 * not by the drawn tokens. Pure.
 */
#include "answers/reading.h"

enum opening_figure {
	OPENING_KL_LOW,
	OPENING_TV_LOW,
	OPENING_TV_HIGH,
	OPENING_JS_LOW,
	OPENING_JS_HIGH,
	OPENING_HIDDEN,
	OPENING_SAME_TOP,
	N_OPENINGS,
};
const char *opening_name(enum opening_figure f); /* the same as the figures' names */

/* NaN: the lists do not give this figure. False: a side has no list there. */
bool opening_compare(
        const struct choice *base, const struct choice *test, double ret[N_OPENINGS]) MUST_CHECK;
