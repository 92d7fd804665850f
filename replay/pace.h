#pragma once
/*
 * pace - the rates of an open loop, as given with --rate:
 *
 *	5, 5/s, 300/m     one rate
 *	10..200           a ramp from one rate to the other during `over`; then the rate stays
 *	10,20,40          steps of the length `step`, each measured separately
 *	saturate[:FROM]   rising steps (from 1/s) until the engine cannot hold one, then a search
 *	                  for the highest that it holds
 *
 * Pure.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define PACE_RATES 32 /* the most steps */
#define PACE_MOST 1e6 /* the highest rate, requests a second */

enum pace_shape { PACE_STEADY, PACE_RAMP, PACE_STEPS, PACE_SATURATE };

struct pace {
	enum pace_shape shape;
	/* requests a second. PACE_STEADY: one rate; PACE_RAMP: first and last rate; PACE_STEPS:
	 * one for each step; PACE_SATURATE: the rate of the first step */
	double rates[PACE_RATES];
	size_t n;
	uint64_t over; /* ns; duration of a ramp */
	uint64_t step; /* ns; duration of each step */
};

/* Sets shape, rates and n from the text; `over` and `step` stay as they were. Returns NULL, or what
 * is wrong with a rate or the list. */
const char *pace_parse(const char *text, struct pace *ret) MUST_CHECK;
bool pace_has_steps(const struct pace *p); /* PACE_STEPS or PACE_SATURATE */
/* appends, for example, "10 to 200 a second over 60 s" */
void pace_put(const struct pace *p, struct buf *to);
/* The number of requests that a plan needs for all steps: of a list, enough for random arrivals too
 * (six standard deviations above the mean); of a search, 100,000. 0: the pace has no steps. */
uint64_t pace_requests(const struct pace *p);
