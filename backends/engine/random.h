#pragma once
/*
 * random - small deterministic generators for the simulated engine. Pure.
 */
#include <math.h>
#include <stdint.h>

#include "base/dice.h"

/* Mixes two words into one; every output bit depends on every input bit (after splitmix64). */
static inline uint64_t random_mix(uint64_t a, uint64_t b)
{
	return dice_mix(a + DICE_STEP * (b + 1));
}

static inline uint64_t random_next(uint64_t *state)
{
	return random_mix(*state += DICE_STEP, 0);
}

/* 0 <= u < 1 */
static inline double random_unit(uint64_t *state)
{
	return (double)(random_next(state) >> 11) * 0x1p-53;
}

/* 0 <= i < n, n > 0 and small */
static inline uint32_t random_below(uint64_t *state, uint32_t n)
{
	return (uint32_t)(((random_next(state) >> 32) * n) >> 32);
}

static inline double random_normal(uint64_t *state)
{
	double u = 1.0 - random_unit(state), v = random_unit(state);
	return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}
