#pragma once
/*
 * random - small deterministic generators for the simulated engine. Pure.
 */
#include <math.h>
#include <stdint.h>

/* Mixes two words into one; every output bit depends on every input bit (after splitmix64). */
static inline uint64_t random_mix(uint64_t a, uint64_t b)
{
	uint64_t z = a + 0x9e3779b97f4a7c15u * (b + 1);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static inline uint64_t random_next(uint64_t *state)
{
	return random_mix(*state += 0x9e3779b97f4a7c15u, 0);
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
