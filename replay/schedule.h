#pragma once
/*
 * schedule - the intended times of the requests of an open loop. They do not depend on the answers.
 *
 * The burstiness is the shape parameter of the gamma distribution of the gaps, as in vLLM's
 * benchmark: 1 is Poisson, less is burstier, more is steadier. Pure; the same seed gives the same
 * times.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/rng.h"

enum arrivals { ARRIVALS_CONSTANT, ARRIVALS_POISSON, ARRIVALS_GAMMA };

struct schedule {
	double rate;     /* requests a second; the first rate of a ramp */
	double to, over; /* the last rate of a ramp; its duration in seconds, 0: no ramp */
	enum arrivals arrivals;
	double burstiness; /* for ARRIVALS_GAMMA */
	struct rng rng;
	uint64_t n;      /* number of times returned so far */
	double count;    /* how many requests were due by the latest time */
	uint64_t latest; /* ns; the time returned last */
};

void schedule_init(
        struct schedule *s, double rate, enum arrivals arrivals, double burstiness, uint64_t seed);
/* Makes the rate change linearly to `to` requests a second over so many seconds, and then stay.
 * Call before schedule_next(). */
void schedule_ramp(struct schedule *s, double to, double over);
uint64_t schedule_next(struct schedule *s); /* ns since the start; the first one is 0 */
/* The number of requests that are due until ns after the start. Not for a schedule on which
 * schedule_next() is used. ns must not decrease from call to call. */
uint64_t schedule_due(struct schedule *s, uint64_t ns);
/* Reads "constant", "poisson" or "gamma:B". False: the text is none of these. */
bool schedule_parse(const char *text, enum arrivals *ret, double *ret_burstiness) MUST_CHECK;
const char *schedule_name(enum arrivals a);
