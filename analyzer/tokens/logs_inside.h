#pragma once
/*
 * logs_inside - the functions of logs for one number, to be used inside of loops that the compiler makes
 * vectors of: there is neither a branch nor a table in them. Private to the analyzer.
 */
#include <stdint.h>
#include <string.h>

#include "base/clones.h"

#define LOGS_LN2_HIGH                                                                              \
	6.93147180369123816490e-01 /* its last 32 bits are 0: exact times any exponent */
#define LOGS_LN2_LOW 1.90821492927058770002e-10
#define LOGS_LOG2_E 1.44269504088896338700
#define LOGS_ROUNDER                                                                               \
	0x1.8p52 /* added to a small number: its integer part stands in the lowest bits */
#define LOGS_BIAS 1023
#define LOGS_MANTISSA (UINT64_MAX >> 12)
#define LOGS_HALF_ROOT UINT64_C(0x3fe6a09e667f3bcd) /* the root of a half */

CLONED_PART uint64_t logs_bits(double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

CLONED_PART double logs_double(uint64_t bits)
{
	double x;
	memcpy(&x, &bits, sizeof(x));
	return x;
}

/*
 * x = n ln 2 + r, |r| < 0.3466; (e^r - 1 - r) / r^2 by a polynomial that was interpolated at Chebyshev's points, to
 * 1.6e-17 of e^r. ret_n: n, as the lowest bits of a number whose other bits are LOGS_ROUNDER's.
 */
CLONED_PART double logs_power(double x, uint64_t *ret_n)
{
	double shifted = x * LOGS_LOG2_E + LOGS_ROUNDER, n = shifted - LOGS_ROUNDER;
	double high = x - n * LOGS_LN2_HIGH, low = n * LOGS_LN2_LOW, r = high - low;
	double sum = 2.510038319586702e-08;
	sum = sum * r + 2.7620085455018414e-07;
	sum = sum * r + 2.7557268464831627e-06;
	sum = sum * r + 2.4801521302241082e-05;
	sum = sum * r + 0.00019841269863050506;
	sum = sum * r + 0.001388888891720967;
	sum = sum * r + 0.008333333333330063;
	sum = sum * r + 0.041666666666624136;
	sum = sum * r + 0.16666666666666669;
	sum = sum * r + 0.5000000000000001;
	*ret_n = logs_bits(shifted);
	/* What r lost in rounding comes back at the end, where it is smallest. */
	return 1 + (r + ((high - r) - low + r * r * sum));
}

/* Of what is within 700 of 0, or a NaN whose last 12 bits are 0, such as NAN or one that was a float. */
CLONED_PART double logs_exp_of(double x)
{
	uint64_t n;
	double power = logs_power(x, &n);
	/* Times 2^n: both are normal numbers. */
	return logs_double(logs_bits(power) + (n << 52));
}

/*
 * Of a positive number that is no denormal. x = 2^k (1 + f), 1 + f between the root of a half and that of 2;
 * with s = f / (2 + f) the log of 1 + f is f - s (f - R(s^2)) (Sun's, as in FreeBSD's e_log.c).
 */
CLONED_PART double logs_log_of(double x)
{
	/* Above the root of a half; the exponent is 1024 more, so that it is positive. */
	uint64_t above = logs_bits(x) - LOGS_HALF_ROOT + (UINT64_C(1024) << 52);
	double exponent = logs_double((above >> 52) + logs_bits(0x1p52)) - (0x1p52 + 1024);
	double f = logs_double((above & LOGS_MANTISSA) + LOGS_HALF_ROOT) - 1;
	double s = f / (2 + f), z = s * s, w = z * z;
	double even = w * (3.999999999940941908e-01 +
	                          w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
	double odd =
	        z *
	        (6.666666666666735130e-01 +
	                w * (2.857142874366239149e-01 +
	                            w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
	double half = 0.5 * f * f;
	return exponent * LOGS_LN2_HIGH -
	       ((half - (s * (half + even + odd) + exponent * LOGS_LN2_LOW)) - f);
}
