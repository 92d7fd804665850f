#include "base/chunk.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

Test(chunk, is_counted_once_until_its_last_holder_lets_go)
{
	struct budget budget;
	budget_init(&budget, 1 << 20);
	struct chunk *c = chunk_make(&budget, "hello", 5);
	size_t one = budget_used(&budget);
	cr_assert_geq(one, 5);
	chunk_ref(c);
	cr_assert_eq(budget_used(&budget), one);
	chunk_unref(c);
	cr_assert_eq(memcmp(c->data, "hello", 5), 0);
	chunk_unref(c);
	cr_assert_eq(budget_used(&budget), 0);
}

Test(chunk, the_relay_is_never_refused_and_copies_are)
{
	struct budget budget;
	budget_init(&budget, 1000);
	char bytes[2000] = {0};
	cr_assert_null(chunk_try_make(&budget, bytes, sizeof(bytes)));
	cr_assert_eq(budget_used(&budget), 0);
	struct chunk *c = chunk_make(&budget, bytes, sizeof(bytes));
	cr_assert_geq(budget_used(&budget), sizeof(bytes));
	cr_assert_null(chunk_try_make(&budget, bytes, 1));
	chunk_unref(c);
	c = chunk_try_make(&budget, bytes, 100);
	cr_assert_not_null(c);
	chunk_unref(c);
}

Test(chunk, a_list_gathers_to_the_bytes_that_went_in)
{
	struct chunks list = {0};
	struct buf all = {0};
	for (int i = 0; i < 20; i++) {
		char text[8];
		int n = snprintf(text, sizeof(text), "%d,", i);
		chunks_push(&list, chunk_make(NULL, text, (size_t)n));
	}
	struct chunks copy = chunks_copy(&list);
	chunks_finish(&list);
	chunks_gather(&copy, &all);
	cr_assert_eq(copy.bytes, all.len);
	cr_assert_str_eq(buf_cstr(&all), "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,");
	chunks_finish(&copy);
	buf_finish(&all);
}
