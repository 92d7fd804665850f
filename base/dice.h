#pragma once
/*
 * dice - random numbers from a seed, the same on every machine (splitmix64).
 */
#include <stdint.h>

struct dice {
	uint64_t state;
};

#define DICE_STEP UINT64_C(0x9e3779b97f4a7c15) /* from one state to the next */

/* One number for another; every bit of it depends on every bit of z. 0 stays 0. */
static inline uint64_t dice_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static inline uint64_t dice_throw(struct dice *d)
{
	return dice_mix(d->state += DICE_STEP);
}

/* Above 0, below 1. */
static inline double dice_share(struct dice *d)
{
	return ((double)(dice_throw(d) >> 11) + 0.5) / 9007199254740992.0;
}

/* Below n, which is from 1 to 2^32. */
static inline uint64_t dice_below(struct dice *d, uint64_t n)
{
	return (dice_throw(d) >> 32) * n >> 32;
}
