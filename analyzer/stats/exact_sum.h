#pragma once
/*
 * exact_sum - a sum of doubles that does not depend on the order of adding and merging.
 *
 * The sum is a 128-bit integer in units of 2^-52. Each value is rounded once, to the nearest unit.
 * Integers, and doubles of magnitude 1 and above, are exact.
 *
 *	value beyond +-EXACT_SUM_LIMIT (3.4e10)  added as the limit
 *	infinity or NaN                          not added; a caller that may have one must count it
 *	                                         and treat the sum as unknown
 *
 * 2^40 values at the limit fit before the sum could overflow. Squares of differences of logprobs
 * (at most 1e4 nats) stay far below the limit. The unit is small enough that the square of a
 * difference of 1e-7 nats keeps two digits.
 *
 * Zero-initialised: 0. Pure.
 */
#include <math.h>
#include <stdint.h>

#define EXACT_SUM_LIMIT 0x1p35

__extension__ typedef __int128 exact_units;

struct exact_sum {
	exact_units units;
};

static inline void exact_sum_add(struct exact_sum *s, double value)
{
	if (isfinite(value)) {
		double within = fmin(fmax(value, -EXACT_SUM_LIMIT), EXACT_SUM_LIMIT);
		s->units += (exact_units)rint(within * 0x1p52);
	}
}

static inline void exact_sum_merge(struct exact_sum *s, const struct exact_sum *other)
{
	s->units += other->units;
}

static inline double exact_sum_value(const struct exact_sum *s)
{
	return (double)s->units * 0x1p-52;
}
