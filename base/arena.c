#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sanitizer.h"

#define BLOCK_SIZE ((size_t)4096) /* size of blocks that arena_begin() did not allocate */

struct arena_block {
	struct arena_block *before;
	_Alignas(ARENA_ALIGNMENT) char bytes[];
};

static void put_block(struct arena *a, struct arena_block *b, size_t size)
{
	b->before = a->last;
	a->last = b;
	a->at = b->bytes;
	a->end = b->bytes + size;
}

static size_t size_of_block(size_t size)
{
	expect(size <= SIZE_MAX / 2);
	return sizeof(struct arena_block) + size;
}

static void add_block(struct arena *a, size_t size)
{
	put_block(a, xmalloc(size_of_block(size)), size);
}

void arena_begin(struct arena *a, size_t size)
{
	expect(!a->last || (!a->last->before && a->at == a->last->bytes));
	if (a->last && (size_t)(a->end - a->at) >= size) {
		return;
	}
	arena_finish(a);
	if (!SANITIZED) {
		add_block(a, size);
	}
}

void arena_clear(struct arena *a)
{
	if (SANITIZED || !a->last || a->last->before) {
		arena_finish(a);
		return;
	}
	a->at = a->last->bytes;
}

/* Allocates the next n bytes after a gap, from a new block if there is not enough space. */
static inline char *take(struct arena *a, size_t gap, size_t n)
{
	size_t left = (size_t)(a->end - a->at);
	if (gap > left || n > left - gap) {
		add_block(a, SANITIZED ? n : MAX(n, BLOCK_SIZE));
		gap = 0;
	}
	char *piece = a->at + gap;
	a->at = piece + n;
	return piece;
}

void *arena_alloc(struct arena *a, size_t size)
{
	size_t over = (uintptr_t)a->at % ARENA_ALIGNMENT;
	return take(a, over ? ARENA_ALIGNMENT - over : 0, size ? size : 1);
}

/* What is larger gets a block of its own, which the kernel gives zeroed. */
#define SHARED_LIMIT ((size_t)128 << 10)

void *arena_alloc_zeroed(struct arena *a, size_t n, size_t size)
{
	size_t bytes;
	expect(!__builtin_mul_overflow(n, size, &bytes));
	if (bytes <= SHARED_LIMIT) {
		return memset(arena_alloc(a, bytes), 0, bytes);
	}
	put_block(a, xcalloc(1, size_of_block(bytes)), bytes);
	a->at = a->end;
	return a->last->bytes;
}

char *arena_text(struct arena *a, struct span text)
{
	char *copy = take(a, 0, text.len + 1);
	if (text.len) {
		memcpy(copy, text.data, text.len);
	}
	copy[text.len] = '\0';
	return copy;
}

char *arena_vprintf(struct arena *a, const char *format, va_list args)
{
	struct buf text = {0};
	buf_vprintf(&text, format, args);
	char *kept = arena_text(a, buf_span(&text));
	buf_finish(&text);
	return kept;
}

char *arena_printf(struct arena *a, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *text = arena_vprintf(a, format, args);
	va_end(args);
	return text;
}

void arena_finish(struct arena *a)
{
	while (a->last) {
		struct arena_block *before = a->last->before;
		free(a->last);
		a->last = before;
	}
	*a = (struct arena){0};
}
