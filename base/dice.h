#pragma once
/*
 * dice - random numbers from a seed, the same on every machine (splitmix64).
 */
#include <stdint.h>

struct dice {
	uint64_t state;
};

static inline uint64_t dice_throw(struct dice *d)
{
	uint64_t z = (d->state += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
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
