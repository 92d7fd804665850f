#include "analyzer/stats/log_histogram.h"

#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

#include "analyzer/stats/stats.h"
#include "base/check.h"
#include "any_order.h"

#define VALUES 2000
#define LEAST 0x1p-16 /* the histogram counts smaller values as 0 */

/* Of either sign, over all sizes from 2^-15 to 2^5. */
static double any_value(void)
{
	double size = ldexp(1 + (double)below(1000) / 1000, (int)below(20) - 15);
	return below(2) ? -size : size;
}

Test(log_histogram, a_value_falls_into_the_bin_that_begins_at_or_below_it)
{
	cr_assert_eq(log_histogram_low(0), 0);
	cr_assert_eq(log_histogram_low(1), LEAST);
	cr_assert_eq(log_histogram_low(LOG_HISTOGRAM_BINS - 1), 64);
	cr_assert(isinf(log_histogram_low(LOG_HISTOGRAM_BINS)));
	for (size_t bin = 0; bin < LOG_HISTOGRAM_BINS; bin++) {
		struct log_histogram h = {0};
		double low = log_histogram_low(bin), next = log_histogram_low(bin + 1);
		log_histogram_add(&h, low);
		log_histogram_add(&h, nextafter(next, 0));
		cr_assert_eq(h.n[bin], 2, "%zu", bin);
		log_histogram_add(&h, -low);
		cr_assert_eq(h.n[bin], 3, "by size");
		cr_assert(bin == 0 || isinf(next) || next <= 1.25 * low);
	}
}

Test(log_histogram, values_beyond_the_bins_go_to_the_first_and_the_last)
{
	struct log_histogram h = {0};
	log_histogram_add(&h, 0);
	log_histogram_add(&h, -0.0);
	log_histogram_add(&h, 1e-300);
	log_histogram_add(&h, 1e300);
	log_histogram_add(&h, INFINITY);
	cr_assert(h.n[0] == 3 && h.n[LOG_HISTOGRAM_BINS - 1] == 2);
	cr_assert_eq(log_histogram_quantile(&h, 0), 0);
	cr_assert_eq(log_histogram_quantile(&h, 1), 64);
}

Test(log_histogram, nan_is_no_value)
{
	struct log_histogram h = {0};
	struct signed_histogram s = {0};
	log_histogram_add(&h, NAN);
	signed_histogram_add(&s, NAN);
	cr_assert(log_histogram_count(&h) == 0 && signed_histogram_count(&s) == 0);
	cr_assert(isnan(log_histogram_quantile(&h, 0.5)));
	cr_assert(isnan(signed_histogram_quantile(&s, 0.5)));
}

static void add_number(void *block, uint64_t number)
{
	signed_histogram_add(block, number % 97 == 0 ? NAN : any_order_value(number));
}

static void say(void *block, struct buf *to)
{
	any_order_put(to, block, sizeof(struct signed_histogram));
}

Test(log_histogram, any_order_of_adding_gives_the_same_bytes)
{
	any_order_check(
	        &(struct any_order){sizeof(struct signed_histogram), 5000, add_number, say, NULL});
}

Test(log_histogram, quantiles_are_within_a_bin_of_the_exact_ones)
{
	random_state = 2;
	for (int round = 0; round < 20; round++) {
		double values[VALUES];
		struct signed_histogram h = {0};
		size_t n = 1 + below(VALUES);
		for (size_t i = 0; i < n; i++) {
			values[i] = any_value();
			signed_histogram_add(&h, values[i]);
		}
		stats_sort(values, n);
		for (double q = 0; q <= 1; q += 0.01) {
			double got = signed_histogram_quantile(&h, q), at = q * (double)n;
			/* The histogram cannot tell two neighbouring values apart. */
			double low = values[(size_t)fmax(0, ceil(at) - 1)];
			double high = values[MIN((size_t)at, n - 1)];
			cr_assert_geq(got, low - 0.25 * fabs(low) - LEAST, "%g of %zu", q, n);
			cr_assert_leq(got, high + 0.25 * fabs(high) + LEAST, "%g of %zu", q, n);
		}
	}
}

Test(log_histogram, values_around_0_have_no_sign)
{
	struct signed_histogram h = {0};
	signed_histogram_add(&h, -1e-9);
	signed_histogram_add(&h, 1e-9);
	cr_assert(h.positive.n[0] == 2 && signed_histogram_quantile(&h, 0.5) == 0);
	cr_assert(!signbit(signed_histogram_quantile(&h, 0.5)));
}
