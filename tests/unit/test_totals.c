#include "analyzer/stats/totals.h"

#include <math.h>

#include <criterion/criterion.h>

Test(totals, are_of_all_numbers_but_nans)
{
	double x[] = {1, -2, NAN, 4, 8, NAN, 16, 32, -64, 128, 256};
	for (size_t n = 0; n <= sizeof(x) / sizeof(*x); n++) {
		struct totals all, ought = {.least = INFINITY, .greatest = -INFINITY};
		for (size_t i = 0; i < n; i++) {
			if (!isnan(x[i])) {
				ought.n++;
				ought.sum += x[i];
				ought.squares += x[i] * x[i];
				ought.least = fmin(ought.least, x[i]);
				ought.greatest = fmax(ought.greatest, x[i]);
			}
		}
		totals_of(x, n, &all);
		cr_assert(all.n == ought.n && all.sum == ought.sum, "of %zu", n);
		cr_assert(all.squares == ought.squares);
		cr_assert(all.least == ought.least && all.greatest == ought.greatest);
		cr_assert_eq(totals_sum(x, n), ought.sum);
	}
}

Test(totals, sums_of_columns_are_those_of_each)
{
	double x[] = {
	        0.1, NAN, 3e20, -7, 0.3, 1e-9, 12, 5, -3e20, 2, NAN, 0.7, 1, 1, 1, 9, 6, -0.2, 4};
	for (size_t n = 0; n <= 12; n++) {
		const double *columns[TOTALS_AT_ONCE];
		double sums[TOTALS_AT_ONCE];
		for (size_t k = 0; k < TOTALS_AT_ONCE; k++) {
			columns[k] = x + k;
		}
		totals_sums(columns, n, sums);
		for (size_t k = 0; k < TOTALS_AT_ONCE; k++) {
			cr_assert_eq(sums[k], totals_sum(columns[k], n), "of %zu", n);
		}
	}
}

Test(totals, tell_how_many_are_above_a_limit)
{
	double x[] = {3, 1, NAN, 2, INFINITY, 2.5, -INFINITY, 2, 3, 4, 1, 9};
	for (size_t n = 0; n <= sizeof(x) / sizeof(*x); n++) {
		size_t ought = 0;
		for (size_t i = 0; i < n; i++) {
			ought += x[i] > 2;
		}
		cr_assert_eq(totals_above(x, n, 2), ought, "of %zu", n);
	}
}
