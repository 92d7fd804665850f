#include "base/claim.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static struct budget budget;
static struct claim claim;

static void setup(void)
{
	budget_init(&budget, 1000);
	claim = (struct claim){.budget = &budget};
}

TestSuite(claim, .init = setup);

Test(claim, gives_back_at_its_end_what_it_took)
{
	cr_assert(claim_take(&claim, 600));
	cr_assert_not(claim_take(&claim, 600));
	cr_expect_eq(budget_used(&budget), 600);
	claim_give(&claim, 100);
	cr_expect_eq(budget_used(&budget), 500);
	claim_close(&claim);
	cr_expect_eq(budget_used(&budget), 0);
}

Test(claim, a_list_grows_while_there_is_room_for_the_old_place_and_the_new_one)
{
	size_t cap = 0;
	int *items = NULL;
	cr_assert(claim_item(&claim, &items, 0, &cap, sizeof(*items)));
	items[cap - 1] = 7;
	size_t first = cap;
	cr_assert(claim_item(&claim, &items, first - 1, &cap, sizeof(*items)));
	cr_assert_eq(cap, first);
	while (cap < 128) {
		cr_assert(claim_item(&claim, &items, cap, &cap, sizeof(*items)));
		cr_assert_eq(claim.taken, cap * sizeof(*items));
	}
	cr_expect_not(claim_item(&claim, &items, cap, &cap, sizeof(*items)));
	cr_expect_eq(cap, 128);
	cr_expect_eq(items[first - 1], 7);
	free(items);
	claim_close(&claim);
	cr_expect_eq(budget_used(&budget), 0);
}

Test(claim, what_a_buffer_has_is_on_it_to_the_byte)
{
	struct buf b = {0};
	cr_assert(claim_reserve(&claim, &b, 10));
	cr_expect_eq(claim.taken, b.cap);
	for (int i = 0; i < 300; i++) {
		cr_assert(claim_reserve(&claim, &b, 1));
		buf_append_char(&b, 'x');
		cr_assert_eq(claim.taken, b.cap);
	}
	cr_expect_not(claim_reserve(&claim, &b, 1000));
	cr_expect_eq(b.len, 300);
	buf_finish(&b);
	claim_close(&claim);
}

Test(claim, without_a_budget_nothing_is_refused)
{
	struct claim unlimited = {0};
	cr_expect(claim_take(&unlimited, (size_t)1 << 40));
	claim_close(&unlimited);
	cr_expect_eq(unlimited.taken, 0);
}
