#include "analyzer/logs.h"

#include <stdint.h>
#include <string.h>

#include "base/clones.h"

#define LN2_HIGH 6.93147180369123816490e-01 /* its last 32 bits are 0: exact times any exponent */
#define LN2_LOW 1.90821492927058770002e-10
#define LOG2_E 1.44269504088896338700
#define ROUNDER 0x1.8p52 /* added to a small number: its integer part stands in the lowest bits */
#define EXP_LEAST (-746.0)
#define BIAS 1023
#define HALF_ROOT UINT64_C(0x3fe6a09e667f3bcd) /* the root of a half */

static inline uint64_t bits_of(double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static inline double double_of(uint64_t bits)
{
	double x;
	memcpy(&x, &bits, sizeof(x));
	return x;
}

/* x = n ln 2 + r; e^r by its series, of which the fourteenth power vanishes as |r| < 0.347. */
static inline double exp_of(double x)
{
	double kept = x < EXP_LEAST ? EXP_LEAST : x;
	double shifted = kept * LOG2_E + ROUNDER, n = shifted - ROUNDER;
	double high = kept - n * LN2_HIGH, low = n * LN2_LOW, r = high - low;
	double sum = 1.0 / 6227020800;
	sum = sum * r + 1.0 / 479001600;
	sum = sum * r + 1.0 / 39916800;
	sum = sum * r + 1.0 / 3628800;
	sum = sum * r + 1.0 / 362880;
	sum = sum * r + 1.0 / 40320;
	sum = sum * r + 1.0 / 5040;
	sum = sum * r + 1.0 / 720;
	sum = sum * r + 1.0 / 120;
	sum = sum * r + 1.0 / 24;
	sum = sum * r + 1.0 / 6;
	sum = sum * r + 0.5;
	/* What r lost in rounding comes back at the end, where it is smallest. */
	double power = 1 + (r + ((high - r) - low + r * r * sum));
	/* In two halves: the power of two may be below the least normal number. */
	uint64_t whole = bits_of(shifted) - bits_of(ROUNDER);
	uint64_t half = ((whole + 2 * (BIAS + 1)) >> 1) - (BIAS + 1);
	return power * double_of((half + BIAS) << 52) * double_of((whole - half + BIAS) << 52);
}

/* Neither branch nor table, so that the compiler makes several steps at once of these loops. */
CLONED void exp_all(const double *restrict x, double *restrict ret, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		ret[i] = exp_of(x[i]);
	}
}

/*
 * x = 2^k (1 + f), 1 + f between the root of a half and that of 2; with s = f / (2 + f) the log of 1 + f is
 * f - s (f - R(s^2)) (Sun's, as in FreeBSD's e_log.c).
 */
static inline double log_of(double x)
{
	uint64_t bits = bits_of(x);
	/* Of the exponent 1024 more, so that it is positive. */
	uint64_t k = (bits - HALF_ROOT + (UINT64_C(1024) << 52)) >> 52;
	double exponent = double_of(k + bits_of(0x1p52)) - (0x1p52 + 1024);
	double f = double_of(bits - ((k - 1024) << 52)) - 1;
	double s = f / (2 + f), z = s * s, w = z * z;
	double even = w * (3.999999999940941908e-01 +
	                          w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
	double odd =
	        z *
	        (6.666666666666735130e-01 +
	                w * (2.857142874366239149e-01 +
	                            w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
	double half = 0.5 * f * f;
	return exponent * LN2_HIGH - ((half - (s * (half + even + odd) + exponent * LN2_LOW)) - f);
}

CLONED void log_all(const double *restrict x, double *restrict ret, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		ret[i] = log_of(x[i]);
	}
}

void logs_exp(const double *restrict x, double *restrict ret, size_t n)
{
	exp_all(x, ret, n);
}

void logs_log(const double *restrict x, double *restrict ret, size_t n)
{
	log_all(x, ret, n);
}
