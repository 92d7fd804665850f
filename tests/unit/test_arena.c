/* Allocations that are freed together. */
#include "base/arena.h"

#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "base/check.h"

#define PIECES 400

Test(arena, pieces_are_whole_alone_and_aligned)
{
	struct arena a = {0};
	unsigned char *pieces[PIECES];
	for (size_t i = 0; i < PIECES; i++) {
		pieces[i] = arena_alloc(&a, i * 7);
		cr_assert_eq((uintptr_t)pieces[i] % ARENA_ALIGNMENT, 0);
		memset(pieces[i], (int)(i & 0xff), i * 7);
		arena_text(&a, SPAN("between"));
	}
	for (size_t i = 0; i < PIECES; i++) {
		for (size_t k = 0; k < i * 7; k++) {
			cr_assert_eq(pieces[i][k], i & 0xff, "piece %zu", i);
		}
	}
	arena_finish(&a);
	cr_assert(arena_is_empty(&a));
}

Test(arena, a_piece_longer_than_any_block_has_one_of_its_own)
{
	struct arena a = {0};
	char *small = arena_alloc(&a, 3), *large = arena_alloc(&a, 1 << 20);
	memset(small, 1, 3);
	memset(large, 2, 1 << 20);
	cr_assert_eq(small[2], 1);
	cr_assert_eq(large[(1 << 20) - 1], 2);
	arena_finish(&a);
}

Test(arena, texts_end_with_a_nul_and_may_be_empty)
{
	struct arena a = {0};
	char *first = arena_text(&a, SPAN("model")), *none = arena_text(&a, (struct span){0});
	cr_assert_str_eq(first, "model");
	cr_assert_str_eq(none, "");
	arena_finish(&a);
}

Test(arena, zeroed_pieces_are_zero)
{
	struct arena a = {0};
	memset(arena_alloc(&a, 4000), 0xff, 4000);
	arena_finish(&a);
	memset(arena_alloc(&a, 64), 0xff, 64);
	const char *piece = arena_alloc_zeroed(&a, 10, 20);
	for (size_t i = 0; i < 200; i++) {
		cr_assert_eq(piece[i], 0);
	}
	arena_finish(&a);
}

static long resident_pages(void)
{
	long all, resident = -1;
	FILE *f = fopen("/proc/self/statm", "re");
	cr_assert(f && fscanf(f, "%ld %ld", &all, &resident) == 2);
	fclose(f);
	return resident;
}

/* A reader of a list allocates as many entries as the list claims. */
Test(arena, zeroed_pieces_are_no_memory_until_they_are_written_to)
{
	struct arena a = {0};
	const size_t size = (size_t)256 << 20;
	mallopt(M_PERTURB, 0); /* which test runners set: malloc() would write to all of it */
	long before = resident_pages();
	char *piece = arena_alloc_zeroed(&a, size, 1), *next = arena_alloc(&a, 16);
	cr_assert_eq((uintptr_t)piece % ARENA_ALIGNMENT, 0);
	cr_assert_eq(piece[0] | piece[size / 2] | piece[size - 1], 0);
	memset(next, 0xff, 16);
	piece[size - 1] = 1;
	cr_assert_lt(resident_pages() - before, (64L << 20) / sysconf(_SC_PAGESIZE));
	cr_assert_eq((unsigned char)next[0], 0xff);
	arena_finish(&a);
}

/* An arena can be begun, moved, finished twice and used again. */
Test(arena, is_empty_once_it_is_finished)
{
	struct arena a = {0};
	for (int i = 0; i < 3; i++) {
		arena_begin(&a, 100);
		char *text = arena_text(&a, SPAN("text"));
		struct arena moved = a;
		a = (struct arena){0};
		cr_assert_str_eq(text, "text");
		cr_assert_not(arena_is_empty(&moved));
		arena_finish(&moved);
		arena_finish(&moved);
		cr_assert(arena_is_empty(&moved));
	}
}

/* Memory that is large enough is used again; otherwise it goes back to the heap. */
Test(arena, is_begun_again_once_it_is_cleared)
{
	struct arena a = {0};
	const size_t sizes[] = {100, 100, 40, 3000, 10, 3000};
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		arena_begin(&a, sizes[i]);
		char *text = arena_text(&a, SPAN("text")), *room = arena_alloc(&a, sizes[i] - 8);
		memset(room, 'x', sizes[i] - 8);
		cr_assert_str_eq(text, "text");
		arena_clear(&a);
	}
	memset(arena_alloc(&a, 10000), 'x', 10000);
	memset(arena_alloc(&a, 10000), 'x', 10000);
	arena_clear(&a);
	cr_assert(arena_is_empty(&a));
	arena_clear(&a);
	arena_finish(&a);
}
