#pragma once
/*
 * clock - the two clocks, in nanoseconds: one for intervals, one for dates.
 */
#include <stdint.h>

uint64_t clock_mono(void); /* CLOCK_MONOTONIC: never goes back; its zero is arbitrary */
uint64_t clock_wall(void); /* CLOCK_REALTIME: since 1970, may jump */
