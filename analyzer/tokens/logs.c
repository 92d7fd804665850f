#include "analyzer/tokens/logs.h"

#include "analyzer/tokens/logs_inside.h"
#include "base/clones.h"

#define EXP_LEAST (-746.0)

/* Also of what is far below 0. In two halves: the power of two may be below the least normal number. */
static inline double exp_of(double x)
{
	uint64_t n;
	double power = logs_power(x < EXP_LEAST ? EXP_LEAST : x, &n);
	uint64_t whole = n - logs_bits(LOGS_ROUNDER);
	uint64_t half = ((whole + 2 * (LOGS_BIAS + 1)) >> 1) - (LOGS_BIAS + 1);
	return power * logs_double((half + LOGS_BIAS) << 52) *
	       logs_double((whole - half + LOGS_BIAS) << 52);
}

CLONED void exp_all(const double *restrict x, double *restrict ret, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		ret[i] = exp_of(x[i]);
	}
}

CLONED void log_all(const double *restrict x, double *restrict ret, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		ret[i] = logs_log_of(x[i]);
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
