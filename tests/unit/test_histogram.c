#include "base/histogram.h"

#include <math.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/rng.h"

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

Test(histogram, small_values_are_exact)
{
	struct histogram h = {0};
	for (uint64_t v = 0; v < HISTOGRAM_EXACT; v++) {
		histogram_add(&h, v);
	}
	for (uint64_t v = 1; v < HISTOGRAM_EXACT; v++) {
		cr_assert_eq(histogram_quantile(&h, (double)v / HISTOGRAM_EXACT), v - 1);
	}
	histogram_finish(&h);
}

Test(histogram, every_quantile_is_within_a_thousandth_of_the_sorted_values)
{
	const size_t n = 20000;
	struct rng rng = {7};
	struct histogram h = {0};
	uint64_t *values = xcalloc(n, sizeof(*values));
	for (size_t i = 0; i < n; i++) {
		values[i] = (uint64_t)exp(27.5 * rng_unit(&rng)); /* over all octaves */
		histogram_add(&h, values[i]);
	}
	qsort(values, n, sizeof(*values), by_value);
	for (double q = 0.0005; q < 1; q += 0.0005) {
		size_t rank = (size_t)ceil(q * (double)n);
		double exact = (double)values[rank - 1];
		double told = (double)histogram_quantile(&h, q);
		cr_assert(told >= exact && told <= exact * (1 + 1.0 / 1024), "q %g: %g for %g", q,
		        told, exact);
	}
	free(values);
	histogram_finish(&h);
}

Test(histogram, the_least_and_the_most_are_exact)
{
	struct histogram h = {0};
	histogram_add(&h, 1234567);
	histogram_add(&h, 7654321);
	cr_expect_eq(histogram_quantile(&h, 0), 1234567);
	cr_expect_eq(histogram_quantile(&h, 1), 7654321);
	cr_expect_eq(h.least, 1234567);
	cr_expect_eq(h.most, 7654321);
	histogram_finish(&h);
}

Test(histogram, mean_and_deviation_do_not_depend_on_the_counters)
{
	struct histogram h = {0};
	const uint64_t base = UINT64_C(1) << 40;
	for (uint64_t v = 0; v < 5; v++) {
		histogram_add(&h, base + v);
	}
	cr_expect_float_eq(histogram_mean(&h), (double)base + 2, 1e-3);
	cr_expect_float_eq(histogram_deviation(&h), sqrt(2), 1e-6);
	histogram_finish(&h);
}

Test(histogram, what_is_over_the_limit_counts_as_the_limit)
{
	struct histogram h = {0};
	histogram_add(&h, UINT64_MAX);
	cr_expect_eq(h.most, HISTOGRAM_LIMIT);
	cr_expect_eq(histogram_quantile(&h, 0.5), HISTOGRAM_LIMIT);
	histogram_finish(&h);
}

Test(histogram, an_empty_one_says_nothing)
{
	struct histogram h = {0};
	cr_expect_eq(histogram_quantile(&h, 0.5), 0);
	cr_expect_eq(histogram_mean(&h), 0);
	cr_expect_eq(histogram_deviation(&h), 0);
	histogram_finish(&h);
}

Test(histogram, merged_ones_say_what_one_of_all_values_says)
{
	struct histogram all = {0}, parts[3] = {0};
	for (uint64_t v = 1; v < 5000; v++) {
		uint64_t value = v * v % 70001;
		histogram_add(&all, value);
		histogram_add(&parts[v % 2], value); /* the third stays empty */
	}
	histogram_merge(&parts[2], &parts[0]);
	histogram_merge(&parts[2], &parts[1]);
	cr_expect_eq(parts[2].n, all.n);
	cr_expect_eq(parts[2].least, all.least);
	cr_expect_eq(parts[2].most, all.most);
	cr_expect_eq(histogram_mean(&parts[2]), histogram_mean(&all));
	cr_expect_eq(histogram_deviation(&parts[2]), histogram_deviation(&all));
	for (double q = 0; q <= 1; q += 0.01) {
		cr_assert_eq(histogram_quantile(&parts[2], q), histogram_quantile(&all, q));
	}
	const struct histogram none = {0};
	histogram_merge(&all, &none);
	cr_expect_eq(all.n, 4999);
	for (size_t i = 0; i < 3; i++) {
		histogram_finish(&parts[i]);
	}
	histogram_finish(&all);
}
