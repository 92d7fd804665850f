#pragma once
/*
 * schedule - when each request of an open loop is meant to be sent, whatever the answers do.
 *
 * The gaps of gamma arrivals have the shape that is given as burstiness, as in vLLM's benchmark: 1 is
 * Poisson, less is burstier, more is steadier. Pure; the same seed gives the same times.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/dice.h"

enum arrivals { ARRIVALS_CONSTANT, ARRIVALS_POISSON, ARRIVALS_GAMMA };

struct schedule {
	double rate;     /* a second; of a ramp: its first */
	double to, over; /* of a ramp: its last rate, and the seconds that it takes; over 0: none */
	enum arrivals arrivals;
	double burstiness; /* of ARRIVALS_GAMMA */
	struct dice dice;
	uint64_t n;      /* times given */
	double count;    /* how many were to come by the latest of them */
	uint64_t latest; /* of them */
};

void schedule_init(
        struct schedule *s, double rate, enum arrivals arrivals, double burstiness, uint64_t seed);
/* The rate goes evenly to another one, up or down, over so many seconds, and stays there. Before the first time. */
void schedule_ramp(struct schedule *s, double to, double over);
uint64_t schedule_next(struct schedule *s); /* ns since the start; the first one is 0 */
/* How many of its times have come so many ns after the start; later ones from call to call, and of a schedule whose times nobody
 * takes. */
uint64_t schedule_come(struct schedule *s, uint64_t ns);
/* "constant", "poisson" or "gamma:B". */
bool schedule_parse(const char *text, enum arrivals *ret, double *ret_burstiness) MUST_CHECK;
const char *schedule_name(enum arrivals a);
