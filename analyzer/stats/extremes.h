#pragma once
/*
 * extremes - fmax() and fmin() without a call: of a NaN and a number the number, of two zeros the second.
 */

static inline double extremes_max(double a, double b)
{
	return a > b || b != b ? a : b;
}

static inline double extremes_min(double a, double b)
{
	return a < b || b != b ? a : b;
}
