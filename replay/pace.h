#pragma once
/*
 * pace - the rates of an open loop, as --rate says them:
 *
 *	5, 5/s, 300/m     one
 *	10..200           a ramp from one to the other, over a time that is said elsewhere, which stays at its end
 *	10,20,40          steps of some length, each measured by itself
 *	saturate[:FROM]   steps that rise until one is not held, and then close in on the highest that is (from 1/s)
 *
 * Pure.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define PACE_RATES 32
#define PACE_MOST 1e6 /* requests a second */

enum pace_shape { PACE_STEADY, PACE_RAMP, PACE_STEPS, PACE_SATURATE };

struct pace {
	enum pace_shape shape;
	double rates[PACE_RATES]; /* a second: one; both ends; the steps'; the first */
	size_t n;
	uint64_t over; /* ns: of a ramp */
	uint64_t step; /* ns: of each step */
};

/* Writes shape and rates. NULL, or what is wrong with the text; then nothing is written. */
const char *pace_parse(const char *text, struct pace *ret) MUST_CHECK;
bool pace_has_steps(const struct pace *p);
void pace_put(const struct pace *p, struct buf *to); /* "10 to 200 a second over 60 s" */
/* How many requests it can take to go through all steps; 0: it has none. */
uint64_t pace_requests(const struct pace *p);
