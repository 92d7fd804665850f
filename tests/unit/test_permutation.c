#include "analyzer/stats/permutation.h"

#include <criterion/criterion.h>

#include "base/rng.h"

#define N 10

static double sum_of_half(const double values[N])
{
	double sum = 0;
	for (size_t i = 0; i < N / 2; i++) {
		sum += values[i];
	}
	return sum;
}

/* The p value of the sum of the first half of some values in random order. */
static double p_of_test(struct rng *d, unsigned most, unsigned enough, unsigned *ret_n)
{
	struct permutation t = {.most = most, .enough = enough};
	double values[N];
	for (size_t i = 0; i < N; i++) {
		values[i] = rng_unit(d);
	}
	double observed = sum_of_half(values);
	while (permutation_wanted(&t)) {
		RNG_SHUFFLE(d, N, values[i]);
		permutation_count(&t, sum_of_half(values), observed);
	}
	*ret_n = t.n;
	return permutation_p(&t);
}

Test(permutation, a_p_of_at_most_alpha_is_as_rare_as_alpha_says_and_tests_end_early)
{
	struct rng d = {1};
	unsigned n, at[3] = {0};
	uint64_t all = 0;
	for (size_t i = 0; i < 4000; i++) {
		double p = p_of_test(&d, 199, 10, &n);
		cr_assert(p > 0 && p <= 1);
		at[0] += p <= 0.05;
		at[1] += p <= 0.2;
		at[2] += p <= 0.5;
		all += n;
	}
	/* 4 standard deviations; ties make p a little larger */
	cr_expect(at[0] > 100 && at[0] < 256, "%u", at[0]);
	cr_expect(at[1] > 650 && at[1] < 902, "%u", at[1]);
	cr_expect(at[2] > 1800 && at[2] < 2127, "%u", at[2]);
	cr_expect_lt(all, 4000 * 100);
}

Test(permutation, p_is_the_share_if_enough_were_extreme_and_else_counts_the_observed_order)
{
	struct permutation t = {.most = 9, .enough = 2};
	permutation_count(&t, 1, 2);
	permutation_count(&t, 2, 2);
	permutation_count(&t, 1, 2);
	cr_expect(permutation_wanted(&t));
	permutation_count(&t, 3, 2);
	cr_expect_not(permutation_wanted(&t));
	cr_expect_float_eq(permutation_p(&t), 2 / 4.0, 1e-12);
	t = (struct permutation){.most = 9, .enough = 2};
	while (permutation_wanted(&t)) {
		permutation_count(&t, 1, 2);
	}
	cr_expect_eq(t.n, 9);
	cr_expect_float_eq(permutation_p(&t), 1 / 10.0, 1e-12);
}

Test(permutation, each_order_is_as_frequent_as_any_other)
{
	struct rng d = {1};
	unsigned counts[27] = {0};
	for (size_t k = 0; k < 6000; k++) {
		struct {
			unsigned kept, x;
		} items[3] = {{0, 0}, {1, 1}, {2, 2}};
		RNG_SHUFFLE(&d, 3, items[i].x);
		cr_assert(items[0].kept == 0 && items[1].kept == 1 && items[2].kept == 2);
		counts[9 * items[0].x + 3 * items[1].x + items[2].x]++;
	}
	static const unsigned ORDERS[] = {5, 7, 11, 15, 19, 21};
	for (size_t k = 0; k < 6; k++) {
		unsigned n = counts[ORDERS[k]];
		cr_expect(n > 880 && n < 1120, "%u: %u", ORDERS[k], n);
	}
}
