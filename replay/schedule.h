#pragma once
/*
 * schedule - the intended times of the requests of an open loop, which do not depend on the
 * answers.
 *
 * The gaps between gamma arrivals have the burstiness as their shape parameter, as in vLLM's
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
	double to, over; /* the last rate of a ramp and its duration in seconds; over 0: no ramp */
	enum arrivals arrivals;
	double burstiness; /* of ARRIVALS_GAMMA */
	struct rng rng;
	uint64_t n;      /* number of times returned so far */
	double count;    /* how many requests were due by the latest time */
	uint64_t latest; /* the time returned last */
};

void schedule_init(
        struct schedule *s, double rate, enum arrivals arrivals, double burstiness, uint64_t seed);
/* The rate changes linearly to another one over so many seconds, and stays there. Call before
 * schedule_next(). */
void schedule_ramp(struct schedule *s, double to, double over);
uint64_t schedule_next(struct schedule *s); /* ns since the start; the first one is 0 */
/* The number of times that are due by ns after the start. Only for a schedule on which
 * schedule_next() is not used; ns must not decrease. */
uint64_t schedule_come(struct schedule *s, uint64_t ns);
/* "constant", "poisson" or "gamma:B". */
bool schedule_parse(const char *text, enum arrivals *ret, double *ret_burstiness) MUST_CHECK;
const char *schedule_name(enum arrivals a);
