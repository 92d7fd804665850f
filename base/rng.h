#pragma once
/*
 * rng - pseudo-random numbers from a seed, the same on every machine: splitmix64 (Steele, Lea and
 * Flood 2014). Not for secrets. { seed } initialises a generator; zero-initialised has seed 0.
 * Pure.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

struct rng {
	uint64_t state;
};

#define RNG_STEP UINT64_C(0x9e3779b97f4a7c15) /* from one state to the next */

/* A hash of one 64-bit word: every bit depends on every bit of z. 0 stays 0. */
static inline uint64_t rng_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* A hash of two 64-bit words. */
static inline uint64_t rng_mix_pair(uint64_t a, uint64_t b)
{
	return rng_mix(a + RNG_STEP * (b + 1));
}

/* A generator seeded with two words. Different pairs give unrelated generators. */
static inline struct rng rng_of(uint64_t a, uint64_t b)
{
	return (struct rng){rng_mix_pair(a, b) + RNG_STEP};
}

static inline uint64_t rng_next(struct rng *r)
{
	return rng_mix(r->state += RNG_STEP);
}

/* Uniform, above 0 and below 1. */
static inline double rng_unit(struct rng *r)
{
	return ((double)(rng_next(r) >> 12) + 0.5) * 0x1p-52;
}

/* Uniform from 0 to n - 1; n is from 1 to 2^32. */
static inline uint32_t rng_below(struct rng *r, uint64_t n)
{
	return (uint32_t)((rng_next(r) >> 32) * n >> 32);
}

/* Shuffles n values (Fisher and Yates). value: an lvalue with the index i, such as list[i].x */
#define RNG_SHUFFLE(rng, n, value)                                                                 \
	do {                                                                                       \
		for (size_t rng_n = (n); rng_n > 1; rng_n--) {                                     \
			size_t i = rng_n - 1;                                                      \
			__typeof__(value) *rng_last = &(value), rng_kept = *rng_last;              \
			i = rng_below((rng), rng_n);                                               \
			*rng_last = (value);                                                       \
			(value) = rng_kept;                                                        \
		}                                                                                  \
	} while (0)

/* Standard normal (Box and Muller 1958). */
static inline double rng_normal(struct rng *r)
{
	double u = 1 - rng_unit(r), v = rng_unit(r);
	return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}
