#pragma once
/*
 * opening - the first tokens of two answers: a position that both sides meet with the same bytes before it,
 * whatever chance did to the rest. So sampled answers are compared there, by what both engines held probable
 * and not by what they drew. Pure.
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
const char *opening_name(enum opening_figure f); /* as the figures' names are */

/* NaN: the lists don't tell that figure. False: a side has no list there. */
bool opening_compare(
        const struct choice *base, const struct choice *test, double ret[N_OPENINGS]) MUST_CHECK;
