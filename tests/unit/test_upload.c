#include "proxy/upload.h"

#include <errno.h>
#include <string.h>

#include <criterion/criterion.h>

static struct budget budget;

static void begin(struct upload *u, size_t memory, uint64_t keep_limit)
{
	budget_init(&budget, memory);
	upload_init(u, &budget, keep_limit, false);
}

static void end(struct upload *u)
{
	upload_finish(u);
	cr_expect_eq(budget_used(&budget), 0, "every byte is given back");
}

static void expect_pull(struct upload *u, size_t cap, const char *bytes)
{
	char got[64];
	ssize_t n = upload_pull(u, got, cap);
	cr_assert_eq(n, (ssize_t)strlen(bytes));
	cr_expect_arr_eq(got, bytes, strlen(bytes));
}

Test(upload, gives_what_has_come_then_waits_then_ends)
{
	struct upload u;
	char got[8];
	begin(&u, 1 << 20, 1 << 10);
	cr_expect_eq(upload_pull(&u, got, sizeof(got)), -EAGAIN);
	upload_add(&u, "hello ", 6);
	upload_add(&u, "world", 5);
	cr_expect_eq(upload_waiting(&u), 11);
	expect_pull(&u, 8, "hello wo");
	expect_pull(&u, 8, "rld");
	cr_expect_eq(upload_pull(&u, got, sizeof(got)), -EAGAIN);
	upload_end(&u);
	cr_expect_eq(upload_pull(&u, got, sizeof(got)), 0);
	end(&u);
}

Test(upload, an_endless_body_of_single_bytes_keeps_no_places)
{
	struct upload u;
	begin(&u, 1 << 20, 16);
	for (int i = 0; i < 100000; i++) {
		upload_add(&u, i % 2 ? "b" : "a", 1);
		if (i % 100 == 99) {
			char got[100];
			cr_assert_eq(upload_pull(&u, got, sizeof(got)), 100);
			cr_assert_eq(got[0], 'a');
			cr_assert_eq(got[99], 'b');
		}
	}
	cr_expect_lt(u.body.cap, 1024);
	end(&u);
}

Test(upload, single_bytes_that_are_kept_are_held_by_the_piece)
{
	struct upload u;
	begin(&u, 1 << 20, 1 << 20);
	for (int i = 0; i < 10000; i++) {
		upload_add(&u, i % 2 ? "b" : "a", 1);
		if (i % 7 == 0) {
			char got[7];
			cr_assert_gt(upload_pull(&u, got, sizeof(got)), 0);
		}
	}
	cr_expect_lt(u.body.n, 5);
	cr_expect_lt(budget_used(&budget), 11000);
	upload_join(&u);
	struct span body = upload_span(&u);
	cr_assert_eq(body.len, 10000);
	for (size_t i = 0; i < body.len; i++) {
		cr_assert_eq(body.data[i], i % 2 ? 'b' : 'a');
	}
	end(&u);
}

Test(upload, a_body_that_will_never_be_whole_fails)
{
	struct upload u;
	char got[8];
	begin(&u, 1 << 20, 1 << 10);
	upload_add(&u, "x", 1);
	upload_fail(&u);
	expect_pull(&u, 8, "x");
	cr_expect_eq(upload_pull(&u, got, sizeof(got)), -ECONNABORTED);
	end(&u);
}

Test(upload, what_is_kept_can_be_sent_again_and_becomes_one_piece)
{
	struct upload u;
	begin(&u, 1 << 20, 1 << 10);
	upload_add(&u, "abc", 3);
	upload_add(&u, "def", 3);
	expect_pull(&u, 4, "abcd");
	cr_expect(span_is(upload_span(&u), "abcdef"));
	expect_pull(&u, 8, "ef");
	upload_rewind(&u);
	expect_pull(&u, 8, "abcdef");
	end(&u);
}

Test(upload, an_empty_body_is_an_empty_piece)
{
	struct upload u;
	begin(&u, 1 << 20, 1 << 10);
	upload_end(&u);
	cr_expect_eq(upload_span(&u).len, 0);
	end(&u);
}

Test(upload, over_the_limit_only_what_the_primary_has_not_taken_stays)
{
	struct upload u;
	begin(&u, 1 << 20, 5);
	upload_add(&u, "abc", 3);
	expect_pull(&u, 8, "abc");
	cr_expect(u.kept);
	upload_add(&u, "def", 3);
	cr_expect(!u.kept && u.oversize && !u.over_budget);
	expect_pull(&u, 8, "def");
	cr_expect_eq(budget_used(&budget), 0);
	end(&u);
}

Test(upload, keeping_ends_when_memory_is_spent_but_no_byte_is_lost)
{
	struct upload u;
	begin(&u, 10, 1 << 10);
	upload_add(&u, "abc", 3);
	cr_expect(!u.kept && u.over_budget);
	expect_pull(&u, 8, "abc");
	end(&u);
}

Test(upload, what_the_recorder_waits_for_stays_until_it_has_it)
{
	struct upload u;
	begin(&u, 1 << 20, 2);
	u.record = true;
	upload_add(&u, "abc", 3);
	expect_pull(&u, 8, "abc");
	cr_assert_not_null(u.body.items[0]);
	struct chunks pieces = upload_unrecorded(&u);
	cr_expect_eq(pieces.bytes, 3);
	cr_expect_null(u.body.items[0]);
	chunks_finish(&pieces);
	upload_add(&u, "de", 2);
	expect_pull(&u, 8, "de");
	upload_stop_recording(&u);
	cr_expect_null(u.body.items[1]);
	end(&u);
}

Test(upload, letting_go_frees_what_was_taken)
{
	struct upload u;
	char large[8192] = {0}, got[8193];
	begin(&u, 1 << 20, 1 << 20);
	upload_add(&u, large, sizeof(large));
	upload_add(&u, "def", 3);
	cr_assert_eq(upload_pull(&u, got, sizeof(got)), sizeof(got));
	upload_stop_keeping(&u);
	cr_expect_null(u.body.items[0]);
	expect_pull(&u, 8, "ef");
	end(&u);
}
