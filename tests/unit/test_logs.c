#include "analyzer/tokens/logs.h"

#include <math.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#define N 5 /* not a multiple of any vector's length */

/* In units of the last place of what it ought to be. */
static double error_of(double is, double ought)
{
	double unit = nextafter(fabs(ought), INFINITY) - fabs(ought);
	return is == ought ? 0 : fabs(is - ought) / unit;
}

Test(logs, exponentials_are_exact_to_a_unit_and_a_half)
{
	srand48(1);
	for (int i = 0; i < 100000; i++) {
		double x[N], e[N];
		for (size_t k = 0; k < N; k++) {
			x[k] = i % 2 ? -700 * drand48() : -exp(-20 * drand48());
		}
		logs_exp(x, e, N);
		for (size_t k = 0; k < N; k++) {
			cr_assert_leq(error_of(e[k], exp(x[k])), 1.5, "e^%.17g", x[k]);
		}
	}
}

Test(logs, exponentials_at_the_edges)
{
	const double x[] = {0, NAN, -744, -746, -9999, 1};
	double e[6];
	logs_exp(x, e, 6);
	cr_assert_eq(e[0], 1);
	cr_assert(isnan(e[1]), "of a NaN a NaN");
	cr_assert_float_eq(e[2], exp(-744), 1e-323, "below the least normal number");
	cr_assert_eq(e[3], 0);
	cr_assert_eq(e[4], 0);
	cr_assert_leq(error_of(e[5], M_E), 1.5);
}

Test(logs, logarithms_are_exact_to_a_unit_and_a_half)
{
	srand48(2);
	for (int i = 0; i < 100000; i++) {
		double x[N], l[N];
		for (size_t k = 0; k < N; k++) {
			x[k] = i % 2 ? exp(1400 * drand48() - 700)
			             : 1 + (drand48() - 0.5) * exp(-20 * drand48());
		}
		logs_log(x, l, N);
		for (size_t k = 0; k < N; k++) {
			cr_assert_leq(error_of(l[k], log(x[k])), 1.5, "ln %.17g", x[k]);
		}
	}
	const double one[] = {1};
	double l[1];
	logs_log(one, l, 1);
	cr_assert_eq(l[0], 0);
}
