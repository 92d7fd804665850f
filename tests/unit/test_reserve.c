/* Memory that is held back for when there is none: with a real limit on what the process may have. */
#include "base/reserve.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "base/buf.h"
#include "base/budget.h"
#include "base/chunk.h"
#include "base/mem.h"
#include "scarcity.h"

#ifndef NO_SCARCITY

/* Takes 2 MiB, 64 KiB at a time. */
static size_t take_much(void **pieces)
{
	size_t n = 0;
	while (n < 32) {
		pieces[n++] = xmalloc((size_t)64 << 10);
	}
	return n;
}

Test(reserve, small_allocations_live_on_it_and_nothing_new_is_granted_until_it_is_whole_again)
{
	void *pieces[32];
	struct budget budget;
	budget_init(&budget, 1 << 20);
	reserve_open();
	cr_expect(!reserve_is_short());
	limit_memory(0);
	size_t n = take_much(pieces);
	cr_expect(reserve_is_short());
	cr_expect(!budget_take(&budget, 1));
	cr_expect_eq(budget_window(&budget, 65536), 0);
	budget_force(&budget, 1);
	budget_give(&budget, 1);
	limit_memory(SIZE_MAX);
	usleep(20000);
	cr_expect(!reserve_is_short());
	cr_expect(budget_take(&budget, 1));
	for (size_t i = 0; i < n; i++) {
		free(pieces[i]);
	}
}

Test(reserve, what_is_large_is_refused_and_leaves_all_as_it_was)
{
	struct buf b = {0};
	struct chunks list = {0};
	struct budget budget;
	budget_init(&budget, (size_t)1 << 30);
	reserve_open();
	buf_append(&b, "abc", 3);
	limit_memory(1 << 20);
	cr_expect(!buf_try_reserve(&b, (size_t)64 << 20));
	cr_expect(span_is(buf_span(&b), "abc"));
	static char large[8 << 20];
	cr_expect_null(chunk_try_make(&budget, large, sizeof(large)));
	cr_expect_eq(budget_used(&budget), 0);
	list.bytes = sizeof(large);
	cr_expect_null(chunk_join(&budget, &list));
	cr_expect_eq(budget_used(&budget), 0);
	cr_expect(!reserve_is_short(), "who is refused touches nothing that is held back");
	limit_memory(SIZE_MAX);
	buf_finish(&b);
}

Test(reserve, a_room_is_there_for_the_work_that_asked_for_it)
{
	enum { ROOM = 16 << 20 };
	reserve_open();
	limit_memory(ROOM + (1 << 20));
	cr_expect(!room_enter(4 * (size_t)ROOM));
	cr_assert(room_enter(ROOM));
	limit_memory(0);
	struct buf b = {0};
	buf_reserve(&b, ROOM / 2);
	cr_expect(!reserve_is_short(), "the room is what it was made of");
	buf_finish(&b);
	room_leave();
	limit_memory(ROOM + (1 << 20));
	cr_assert(room_enter(ROOM / 4));
	cr_expect(!room_widen(ROOM));
	cr_assert(room_widen(ROOM / 4));
	limit_memory(0);
	buf_reserve(&b, ROOM / 4 + ROOM / 8);
	cr_expect(!reserve_is_short(), "what it was widened by is the room's, too");
	buf_finish(&b);
	room_leave();
	cr_assert(room_enter(MEM_SMALL), "that what is small has needs no room");
	room_leave();
	limit_memory(SIZE_MAX);
}

#endif

Test(reserve, without_one_memory_is_never_short)
{
	cr_expect(!reserve_is_short());
	cr_expect(!reserve_let_go());
}
