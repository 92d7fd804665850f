#pragma once
/*
 * clock - the two clocks: one for intervals, one for dates. Both in nanoseconds.
 */
#include <stdint.h>

uint64_t clock_mono(void); /* CLOCK_MONOTONIC: never goes back, has no date */
uint64_t clock_wall(void); /* CLOCK_REALTIME: since 1970, may jump */
