#include "analyzer/stats/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

static int by_number(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

Test(numbers, are_sorted_few_or_many_of_any_sign_and_size)
{
	static const size_t SIZES[] = {0, 1, 2, 31, 32, 33, 1000, 20000};
	static double a[20000], b[20000];
	srand48(1);
	for (size_t s = 0; s < sizeof(SIZES) / sizeof(*SIZES); s++) {
		size_t n = SIZES[s];
		for (size_t i = 0; i < n; i++) {
			double sign = drand48() < 0.5 ? -1 : 1;
			a[i] = i % 7 == 0    ? 0
			       : i % 11 == 0 ? 1.5
			                     : sign * exp(1000 * drand48() - 600);
		}
		memcpy(b, a, n * sizeof(*a));
		if (n > 2) {
			a[1] = b[1] = INFINITY;
			a[2] = b[2] = -INFINITY;
		}
		numbers_sort(a, n);
		qsort(b, n, sizeof(*b), by_number);
		for (size_t i = 0; i < n; i++) {
			cr_assert_eq(a[i], b[i], "%zu of %zu: %g, not %g", i, n, a[i], b[i]);
		}
	}
}
