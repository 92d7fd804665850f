#pragma once
/*
 * arena - memory for pieces that are made one after another and let go of together. Zero-initialised is empty;
 * arena_finish() gives all of it back. It may be moved as a struct, its pieces stay where they are. One thread.
 *
 * A piece is never freed or made larger by itself. Under a sanitizer each is an allocation, so that a use beyond its end is found.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define ARENA_ALIGNMENT 8

struct arena_block;

struct arena {
	struct arena_block *last; /* NULL: there is no memory */
	char *at, *end;           /* what is left of it */
};

/* Room for so much in one piece of memory, for who knows about how much it will be; the arena is empty, or was cleared. */
void arena_begin(struct arena *a, size_t size);
/* Lets go of all pieces. Memory stays for who begins again, if what was begun with was enough for them. */
void arena_clear(struct arena *a);
/* Not initialised; aligned for words of ARENA_ALIGNMENT bytes. */
void *arena_take(struct arena *a, size_t size) __attribute__((returns_nonnull));
/* A large one has pages that are nobody's until they are written to: a file may promise more than it has. */
void *arena_take_zeroed(struct arena *a, size_t n, size_t size) __attribute__((returns_nonnull));
/* A NUL-terminated copy, which takes one byte more than the text has. */
char *arena_text(struct arena *a, struct span text) __attribute__((returns_nonnull));
void arena_finish(struct arena *a);

static inline bool arena_is_empty(const struct arena *a)
{
	return !a->last;
}
