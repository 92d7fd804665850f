#include "analyzer/stats/sample.h"

#include <math.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "analyzer/stats/testing.h"
#include "base/check.h"

Test(sample, quantiles_interpolate_as_those_of_perplexity)
{
	static const double VALUES[] = {4, 1, 3, 2, NAN};
	struct sample s = {0};
	cr_assert(isnan(sample_quantile(&s, 0.5)));
	for (size_t i = 0; i < ARRAY_LEN(VALUES); i++) {
		sample_add(&s, i, VALUES[i]);
	}
	sample_settle(&s);
	cr_assert_eq(s.n, 4, "NaN is no value");
	cr_assert_float_eq(sample_quantile(&s, 0.5), 2.5, 1e-12);
	cr_assert_float_eq(sample_quantile(&s, 0.25), 1.75, 1e-12);
	cr_assert_float_eq(sample_quantile(&s, 0), 1, 0);
	cr_assert_float_eq(sample_quantile(&s, 1), 4, 0);
	cr_assert_float_eq(sample_above(&s, 2), 0.5, 0);
	cr_assert_float_eq(sample_above(&s, 4), 0, 0);
	cr_assert_float_eq(sample_above(&s, 0), 1, 0);
	sample_finish(&s);
}

static double value_of(uint64_t key)
{
	return testing_normal_quantile(((double)(key * 7919 % 100003) + 0.5) / 100003);
}

Test(sample, is_the_same_in_any_order_and_when_merged)
{
	struct sample whole = {0}, backwards = {0}, parts[3] = {{0}};
	for (uint64_t key = 0; key < 60000; key++) {
		sample_add(&whole, key, value_of(key));
		sample_add(&backwards, 59999 - key, value_of(59999 - key));
		sample_add(&parts[key % 3], key, value_of(key));
	}
	sample_merge(&parts[0], &parts[1]);
	sample_merge(&parts[0], &parts[2]);
	cr_assert_eq(parts[0].n, whole.n);
	struct sample *all[] = {&whole, &backwards, &parts[0]};
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		sample_settle(all[i]);
		cr_assert_eq(all[i]->kept, SAMPLE_SIZE);
		cr_assert_eq(all[i]->greatest, whole.greatest);
		for (size_t k = 0; k < SAMPLE_SIZE; k++) {
			cr_assert_eq(all[i]->items[k].value, whole.items[k].value);
		}
	}
	cr_assert_float_eq(sample_quantile(&whole, 0.9), 1.2816, 0.05);
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		sample_finish(all[i]);
	}
	sample_finish(&parts[1]);
	sample_finish(&parts[2]);
}

Test(sample, the_robust_deviation_is_that_of_a_normal_whatever_the_tails_do)
{
	struct sample s = {0};
	for (uint64_t key = 0; key < 10000; key++) {
		sample_add(&s, key, key % 50 == 0 ? 1000 : 0.03 * value_of(key));
	}
	sample_settle(&s);
	cr_assert_float_eq(sample_robust_sd(&s), 0.03, 0.0015);
	sample_finish(&s);
	sample_add(&s, 1, 5);
	cr_assert(isnan(sample_robust_sd(&s)));
	sample_add(&s, 2, 5);
	cr_assert(sample_robust_sd(&s) == 0);
	sample_finish(&s);
	for (uint64_t key = 0; key < 3; key++) {
		sample_add(&s, key, key < 2 ? -0.0 : 0.0);
	}
	sample_settle(&s);
	cr_assert(!signbit(sample_robust_sd(&s)), "no -0");
	sample_finish(&s);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

Test(sample, the_robust_deviation_is_that_of_the_sorted_distances)
{
	for (size_t n = 2; n < 40; n++) {
		for (uint64_t round = 0; round < 20; round++) {
			struct sample s = {0};
			double away[40];
			for (size_t i = 0; i < n; i++) {
				/* Many of them are alike in every other round. */
				uint64_t h = sample_hash(1000 * n + 40 * round + i) >> 20;
				sample_add(&s, i, (double)(round % 2 ? h % 5 : h % 100000) / 7 - 1);
			}
			sample_settle(&s);
			for (size_t i = 0; i < n; i++) {
				away[i] = fabs(s.items[i].value - sample_quantile(&s, 0.5));
			}
			qsort(away, n, sizeof(*away), by_value);
			double middle = n % 2 ? away[n / 2] : (away[n / 2 - 1] + away[n / 2]) / 2;
			cr_assert_eq(sample_robust_sd(&s), 1.4826 * middle);
			sample_finish(&s);
		}
	}
}

Test(sample, what_the_whole_has_no_use_for_need_not_be_kept)
{
	struct sample whole = {0}, other = {0};
	for (uint64_t block = 0; block < 40; block++) {
		struct sample all = {0}, few = {0};
		sample_expect(&few, &other);
		for (uint64_t i = 0; i < 2000; i++) {
			sample_add(&all, block * 2000 + i, (double)(i % 97));
			sample_add(&few, block * 2000 + i, (double)(i % 97));
		}
		cr_assert(block < 30 || few.kept < all.kept, "less is kept");
		sample_merge(&whole, &all);
		sample_merge(&other, &few);
		sample_finish(&all);
		sample_finish(&few);
	}
	sample_settle(&whole);
	sample_settle(&other);
	cr_assert(whole.n == other.n && whole.kept == other.kept && whole.sum == other.sum);
	for (double f = 0; f <= 1; f += 0.01) {
		cr_assert_eq(sample_quantile(&whole, f), sample_quantile(&other, f));
	}
	sample_finish(&whole);
	sample_finish(&other);
}

Test(sample, what_one_has_let_go_the_one_that_takes_it_in_need_not_keep)
{
	struct sample whole = {0}, parts[3] = {{0}}, sum = {0};
	for (uint64_t key = 0; key < 200000; key++) {
		sample_add(&whole, key, value_of(key));
		sample_add(&parts[key % 3], key, value_of(key));
	}
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		sample_merge(&sum, &parts[i]);
		cr_assert(sum.bound > 0 && sum.bound <= parts[i].bound);
		sample_finish(&parts[i]);
	}
	sample_settle(&whole);
	sample_settle(&sum);
	for (size_t k = 0; k < SAMPLE_SIZE; k++) {
		cr_assert_eq(sum.items[k].value, whole.items[k].value);
	}
	sample_finish(&whole);
	sample_finish(&sum);
}
