#include "base/tab.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static struct budget budget;
static struct tab tab;

static void setup(void)
{
	budget_init(&budget, 1000);
	tab = (struct tab){.budget = &budget};
}

TestSuite(tab, .init = setup);

Test(tab, gives_back_at_its_end_what_it_took)
{
	cr_assert(tab_take(&tab, 600));
	cr_assert_not(tab_take(&tab, 600));
	cr_expect_eq(budget_used(&budget), 600);
	tab_give(&tab, 100);
	cr_expect_eq(budget_used(&budget), 500);
	tab_close(&tab);
	cr_expect_eq(budget_used(&budget), 0);
}

Test(tab, a_list_grows_while_there_is_room_for_the_old_place_and_the_new_one)
{
	size_t cap = 0;
	int *items = tab_grow(&tab, NULL, &cap, sizeof(*items));
	cr_assert_not_null(items);
	items[cap - 1] = 7;
	size_t first = cap;
	while (cap < 128) {
		items = tab_grow(&tab, items, &cap, sizeof(*items));
		cr_assert_not_null(items);
		cr_assert_eq(tab.taken, cap * sizeof(*items));
	}
	cr_expect_null(tab_grow(&tab, items, &cap, sizeof(*items)));
	cr_expect_eq(cap, 128);
	cr_expect_eq(items[first - 1], 7);
	free(items);
	tab_close(&tab);
	cr_expect_eq(budget_used(&budget), 0);
}

Test(tab, what_a_buffer_has_is_on_it_to_the_byte)
{
	struct buf b = {0};
	cr_assert(tab_reserve(&tab, &b, 10));
	cr_expect_eq(tab.taken, b.cap);
	for (int i = 0; i < 300; i++) {
		cr_assert(tab_reserve(&tab, &b, 1));
		buf_append_char(&b, 'x');
		cr_assert_eq(tab.taken, b.cap);
	}
	cr_expect_not(tab_reserve(&tab, &b, 1000));
	cr_expect_eq(b.len, 300);
	buf_finish(&b);
	tab_close(&tab);
}

Test(tab, without_a_budget_nothing_is_refused)
{
	struct tab free_tab = {0};
	cr_expect(tab_take(&free_tab, (size_t)1 << 40));
	tab_close(&free_tab);
	cr_expect_eq(free_tab.taken, 0);
}
