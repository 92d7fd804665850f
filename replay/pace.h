#pragma once
/*
 * pace - the rates of an open loop, as given with --rate:
 *
 *	5, 5/s, 300/m     one rate
 *	10..200           a ramp from one rate to the other over a time given elsewhere; then the
 *	                  rate stays
 *	10,20,40          steps of a given length, each measured separately
 *	saturate[:FROM]   rising steps (from 1/s) until the engine cannot hold one, then a search
 *	                  for the highest that it holds
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
	/* requests a second: one rate, or the two rates of a ramp, or the rates of the steps, or
	 * the rate of a search's first step */
	double rates[PACE_RATES];
	size_t n;
	uint64_t over; /* duration of a ramp, ns */
	uint64_t step; /* duration of each step, ns */
};

/* Returns NULL, or what is wrong with the text; *ret is then unchanged. */
const char *pace_parse(const char *text, struct pace *ret) MUST_CHECK;
bool pace_has_steps(const struct pace *p);
void pace_put(const struct pace *p, struct buf *to); /* "10 to 200 a second over 60 s" */
/* The most requests that all steps together can send; 0: the pace has no steps. */
uint64_t pace_requests(const struct pace *p);
