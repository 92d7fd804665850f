#include "replay/repro/shrink.h"

#include <criterion/criterion.h>

struct guilt {
	uint32_t guilty[4];
	size_t n;
	unsigned tests, limit; /* limit 0: none */
};

static int shows(void *arg, const uint32_t *members, size_t n)
{
	struct guilt *g = arg;
	if (g->limit && g->tests >= g->limit) {
		return -1;
	}
	g->tests++;
	size_t found = 0;
	for (size_t i = 0; i < n; i++) {
		cr_assert(i == 0 || members[i] > members[i - 1], "members keep their order");
		for (size_t k = 0; k < g->n; k++) {
			found += members[i] == g->guilty[k];
		}
	}
	return found == g->n;
}

static size_t shrink(struct guilt *g, uint32_t *members, size_t n, uint64_t seed, bool *minimal)
{
	for (size_t i = 0; i < n; i++) {
		members[i] = (uint32_t)i;
	}
	return shrink_set(members, n, seed, shows, g, minimal);
}

Test(shrink, one_guilty_member_is_found_among_many_with_few_tests)
{
	uint32_t members[1000];
	for (uint32_t guilty = 0; guilty < 1000; guilty += 37) {
		struct guilt g = {{guilty}, 1, 0, 0};
		bool minimal;
		cr_assert_eq(shrink(&g, members, 1000, guilty, &minimal), 1);
		cr_assert(minimal);
		cr_assert_eq(members[0], guilty);
		cr_assert_leq(g.tests, 20);
	}
}

Test(shrink, several_that_are_guilty_only_together_are_all_kept)
{
	uint32_t members[50];
	struct guilt g = {{3, 4, 48}, 3, 0, 0};
	bool minimal;
	cr_assert_eq(shrink(&g, members, 50, 1, &minimal), 3);
	cr_assert(minimal);
	cr_assert_eq(members[0], 3);
	cr_assert_eq(members[1], 4);
	cr_assert_eq(members[2], 48);
}

Test(shrink, the_same_seed_makes_the_same_tests)
{
	uint32_t members[64];
	bool minimal;
	struct guilt a = {{5, 60}, 2, 0, 0}, b = a, c = a;
	shrink(&a, members, 64, 9, &minimal);
	shrink(&b, members, 64, 9, &minimal);
	shrink(&c, members, 64, 10, &minimal);
	cr_assert_eq(a.tests, b.tests);
}

Test(shrink, when_tests_come_to_an_end_what_is_left_still_shows_it_and_is_not_called_minimal)
{
	uint32_t members[64];
	struct guilt g = {{5, 60}, 2, 0, 6};
	bool minimal;
	size_t n = shrink(&g, members, 64, 9, &minimal);
	cr_assert(!minimal);
	g.limit = 0;
	cr_assert_eq(shows(&g, members, n), 1);
}

Test(shrink, a_set_of_one_is_minimal_without_a_test)
{
	uint32_t members[1];
	struct guilt g = {{0}, 1, 0, 0};
	bool minimal;
	cr_assert_eq(shrink(&g, members, 1, 9, &minimal), 1);
	cr_assert(minimal);
	cr_assert_eq(g.tests, 0);
}
