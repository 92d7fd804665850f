#pragma once
/*
 * clock - three clocks, in nanoseconds: for intervals, for dates, and for processor time.
 */
#include <stdint.h>

#define SECOND_NS UINT64_C(1000000000)

uint64_t clock_mono(void);   /* CLOCK_MONOTONIC: never goes back; its zero is arbitrary */
uint64_t clock_wall(void);   /* CLOCK_REALTIME: since 1970, may jump */
uint64_t clock_thread(void); /* processor time of the calling thread */
