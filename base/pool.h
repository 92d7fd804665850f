#pragma once
/*
 * pool - memory that one thread takes and another gives back.
 *
 * With malloc the giver locks the taker's arena, and may be put off its processor while it holds that lock: an event loop
 * would then wait for a thread that is meant never to be waited for. Here each thread has a small stock of its own; full
 * and empty stocks change hands as a whole, under a lock that is held for a few instructions. What is kept for
 * later is bounded (POOL_KEPT, and a stock for each size and thread); the rest goes back to malloc, and so does all
 * that is larger than POOL_LARGEST. Under a sanitizer it is malloc. Any thread.
 */
#include <stddef.h>

#include "base/check.h"

#define POOL_LARGEST ((size_t)4096)
#define POOL_KEPT ((size_t)1 << 20)

void *pool_take(size_t size) __attribute__((malloc, returns_nonnull)); /* not initialised */
void *pool_try_take(
        size_t size) MUST_CHECK; /* for what a peer can make large; NULL: there is no memory */
void *pool_take_zeroed(size_t size) __attribute__((malloc, returns_nonnull));
void pool_give(void *memory, size_t size); /* size as it was taken; NULL is fine */
