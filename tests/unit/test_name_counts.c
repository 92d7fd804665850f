#include "analyzer/stats/name_counts.h"

#include <stdio.h>

#include <criterion/criterion.h>

#include "any_order.h"

static void add_number(void *block, uint64_t i)
{
	char name[16];
	snprintf(name, sizeof(name), "n%02u", (unsigned)(i * 7 % 40));
	name_counts_add(block, name, 1 + i % 3);
}

static void say(void *block, struct buf *to)
{
	const struct name_counts *c = block;
	buf_printf(to, "%lu", c->total);
	for (size_t i = 0; i < c->n; i++) {
		buf_printf(to, " %s %lu", c->items[i].name, c->items[i].n);
	}
}

static void finish(void *block)
{
	name_counts_finish(block);
}

Test(name_counts, order_does_not_matter)
{
	const struct any_order m = {sizeof(struct name_counts), 500, add_number, say, finish};
	any_order_check(&m);
}

Test(name_counts, the_first_in_the_alphabet_are_told_apart)
{
	struct name_counts c = {0};
	cr_assert_null(name_counts_most(&c));
	for (uint64_t i = 0; i < 400; i++) {
		add_number(&c, i);
	}
	name_counts_add(&c, "n05", 100);
	cr_assert_eq(c.n, NAME_COUNTS_LIMIT);
	cr_assert_str_eq(c.items[NAME_COUNTS_LIMIT - 1].name, "n23");
	cr_assert_str_eq(name_counts_most(&c)->name, "n05");
	cr_assert_eq(c.total, 100 + 133 * 6 + 1);
	name_counts_finish(&c);
}
