#pragma once
/*
 * opening - compares the probabilities of the first tokens of two sampled answers.
 *
 * Sampled answers soon differ by chance, and later tokens then follow different texts. Nothing
 * precedes the first token, so both engines state its probabilities for the same prompt. The tokens
 * that were drawn do not matter here. Pure.
 */
#include "answers/reading.h"

/* As in bounds.h; the test is P, the base is R. */
enum opening_figure {
	OPENING_KL_LOW,
	OPENING_TV_LOW,
	OPENING_TV_HIGH,
	OPENING_JS_LOW,
	OPENING_JS_HIGH,
	OPENING_MISSING_MASS, /* mean of p_hidden and r_hidden */
	/* 1: both sides have the same most probable token; 0: they have not; NaN: not known */
	OPENING_SAME_TOP,
	N_OPENINGS,
};
const char *opening_name(enum opening_figure f); /* "kl_low": as in docs/metrics.md */

/* Computes all figures, as at a comparable position (position.h). False: a side has no list at
 * its first token; ret is then unchanged. */
bool opening_compare(
        const struct choice *base, const struct choice *test, double ret[N_OPENINGS]) MUST_CHECK;
