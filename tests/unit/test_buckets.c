#include "base/buckets.h"

#include <criterion/criterion.h>
#include <pthread.h>

static const struct bounds *const ALL[] = {
        &BOUNDS_ADDED, &BOUNDS_COMMIT, &BOUNDS_GAP, &BOUNDS_ANSWER};

Test(buckets, bounds_rise_and_fit)
{
	for (size_t k = 0; k < sizeof(ALL) / sizeof(ALL[0]); k++) {
		cr_assert(ALL[k]->n > 0 && ALL[k]->n <= BUCKETS_LIMIT);
		for (size_t i = 1; i < ALL[k]->n; i++) {
			cr_assert_lt(ALL[k]->us[i - 1], ALL[k]->us[i]);
		}
	}
}

Test(buckets, a_bound_belongs_to_its_bucket)
{
	struct buckets b = {.bounds = &BOUNDS_ADDED};
	struct buckets_figures f;
	buckets_add(&b, 0);
	buckets_add(&b, 50);
	buckets_add(&b, 51);
	buckets_add(&b, 1000000);
	buckets_add(&b, 1000001);
	buckets_figures(&b, &f);
	cr_assert_eq(f.counts[0], 2);
	cr_assert_eq(f.counts[1], 3);
	cr_assert_eq(f.counts[BOUNDS_ADDED.n - 1], 4);
	cr_assert_eq(f.counts[BOUNDS_ADDED.n], 5);
	cr_assert_eq(f.sum, 2000102);
}

static void *add(void *arg)
{
	struct buckets *b = arg;
	for (uint64_t i = 0; i < 10000; i++) {
		buckets_add(b, i);
	}
	return NULL;
}

Test(buckets, lose_nothing_among_threads)
{
	struct buckets b = {.bounds = &BOUNDS_GAP};
	struct buckets_figures f;
	pthread_t threads[4];
	for (int i = 0; i < 4; i++) {
		cr_assert_eq(pthread_create(&threads[i], NULL, add, &b), 0);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
	}
	buckets_figures(&b, &f);
	cr_assert_eq(f.counts[0], 4 * 1001);
	cr_assert_eq(f.counts[BOUNDS_GAP.n], 40000);
	cr_assert_eq(f.sum, 4 * UINT64_C(49995000));
}
