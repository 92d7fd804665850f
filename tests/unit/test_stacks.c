#include "analyzer/rows/stacks.h"

#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "any_order.h"

/* One of 3,000 stacks; every second row has no name. */
static void add_number(void *block, uint64_t i)
{
	char backend[16], name[16];
	uint64_t number = i % 3000;
	snprintf(backend, sizeof(backend), "b%02u", (unsigned)(number % 37));
	snprintf(name, sizeof(name), "stack %u", (unsigned)number);
	struct stack_row row = {.backend = backend, .name = i / 3000 ? name : NULL};
	memcpy(row.stack.bytes, &number, sizeof(number));
	stacks_add(block, &row);
}

static void say(void *block, struct buf *to)
{
	const struct stacks *s = block;
	for (size_t i = 0; i < s->n; i++) {
		buf_printf(to, "%s %s\n", s->items[i].backend, stacks_name(s, s->items[i].id));
	}
}

static void finish(void *block)
{
	stacks_finish(block);
}

Test(stacks, order_does_not_matter)
{
	const struct any_order m = {sizeof(struct stacks), 6000, add_number, say, finish};
	any_order_check(&m);
}

Test(stacks, are_counted_by_backend)
{
	struct stacks s = {0};
	static const char *const BACKENDS[] = {"b", "a", "b", "b"};
	for (size_t i = 0; i < 8; i++) {
		const struct stack_row row = {BACKENDS[i % 4], {{(uint8_t)(1 + i % 3)}}, "name"};
		cr_assert_eq(stacks_add(&s, &row), i != 3 && i < 6, "%zu", i);
	}
	cr_assert_eq(stacks_of_backend(&s, 0), 2, "a");
	cr_assert_eq(stacks_of_backend(&s, 2), 3, "b");
	cr_assert_eq(s.n, 5);
	cr_assert_null(stacks_name(&s, (struct id){{9}}));
	stacks_finish(&s);
}
