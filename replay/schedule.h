#pragma once
/*
 * schedule - the intended times of the requests of an open loop. They do not depend on the answers.
 *
 *	ARRIVALS_CONSTANT  equal gaps
 *	ARRIVALS_POISSON   gaps with an exponential distribution
 *	ARRIVALS_GAMMA     gaps with a gamma distribution, whose shape parameter is the
 *	                   burstiness, as in vLLM's benchmark: at 1 it is Poisson, below 1 the
 *	                   gaps vary more, above 1 less
 *
 * Pure; the same seed gives the same times.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/rng.h"

enum arrivals { ARRIVALS_CONSTANT, ARRIVALS_POISSON, ARRIVALS_GAMMA };

struct schedule {
	double rate; /* requests a second, above 0; the first rate of a ramp */
	/* the last rate of a ramp, and its duration in seconds; `over` 0: no ramp */
	double to, over;
	enum arrivals arrivals;
	double burstiness; /* above 0; only ARRIVALS_GAMMA uses it */
	struct rng rng;
	uint64_t n;      /* number of times that were returned */
	double count;    /* the sum of the gaps so far, in mean gaps */
	uint64_t latest; /* ns; the time returned last */
};

void schedule_init(
        struct schedule *s, double rate, enum arrivals arrivals, double burstiness, uint64_t seed);
/* Makes the rate change linearly to `to` requests a second over the first `over` seconds, and
 * stay there; both are above 0. Call before schedule_next() and schedule_due(). */
void schedule_ramp(struct schedule *s, double to, double over);
/* returns the next time: ns since the start; the first one is 0 */
uint64_t schedule_next(struct schedule *s);
/* The number of requests whose time is at most ns after the start. ns must not decrease from
 * call to call. Use either this function or schedule_next() on a schedule. */
uint64_t schedule_due(struct schedule *s, uint64_t ns);
/* Reads "constant", "poisson" or "gamma:B", where B is the burstiness, 0.01 to 1,000,000.
 * *ret_burstiness is written for gamma only. False: the text is none of them. */
bool schedule_parse(const char *text, enum arrivals *ret, double *ret_burstiness) MUST_CHECK;
const char *schedule_name(enum arrivals a);
