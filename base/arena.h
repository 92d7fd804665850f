#pragma once
/*
 * arena - memory for pieces that are allocated one after another and freed together.
 * Zero-initialised is empty; arena_finish() frees everything. The struct may be moved; the pieces
 * stay in place. One thread.
 *
 * A piece is never freed or enlarged by itself. Under a sanitizer each piece is an allocation of
 * its own, so that the sanitizer finds a use beyond its end.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define ARENA_ALIGNMENT 8

struct arena_block;

struct arena {
	struct arena_block *last; /* NULL: the arena has no memory yet */
	char *at, *end;           /* the unused rest of that block */
};

/* Allocates one block of size bytes in advance, for callers that know about how much memory they
 * need. The arena must be empty or cleared. */
void arena_begin(struct arena *a, size_t size);
/* Drops all pieces. Keeps the memory if all of them were in one block. */
void arena_clear(struct arena *a);
/* A piece of size bytes, not initialised, aligned to ARENA_ALIGNMENT bytes. */
void *arena_alloc(struct arena *a, size_t size) __attribute__((returns_nonnull));
/* A piece for n items of size bytes, zeroed; n * size must not overflow. The pages of a large piece
 * take no memory until they are written, so a file that announces more data than it has costs
 * little. */
void *arena_alloc_zeroed(struct arena *a, size_t n, size_t size) __attribute__((returns_nonnull));
/* A NUL-terminated copy of the text. */
char *arena_text(struct arena *a, struct span text) __attribute__((returns_nonnull));
/* A formatted text, NUL-terminated. */
char *arena_printf(struct arena *a, const char *format, ...) PRINTF(2, 3)
        __attribute__((returns_nonnull));
char *arena_vprintf(struct arena *a, const char *format, va_list args) PRINTF(2, 0)
        __attribute__((returns_nonnull));
void arena_finish(struct arena *a);

static inline bool arena_is_empty(const struct arena *a)
{
	return !a->last;
}
