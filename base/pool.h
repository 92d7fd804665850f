#pragma once
/*
 * pool - memory that one thread allocates and another frees.
 *
 * With malloc() the freeing thread locks the heap of the allocating one, and may lose its processor
 * while it holds that lock: an event loop would then wait for a recorder thread. Here each thread
 * has a small stock of free pieces; full and empty stocks change hands as a whole, under a lock
 * that is held for a few instructions. What is kept is bounded: POOL_KEPT bytes, and a stock for
 * each size and thread. The rest, and all that is larger than POOL_LARGEST, goes back to malloc().
 * Under a sanitizer it is malloc(). Any thread.
 */
#include <stddef.h>

#include "base/check.h"

#define POOL_LARGEST ((size_t)4096)
#define POOL_KEPT ((size_t)1 << 20)

void *pool_take(size_t size) __attribute__((malloc, returns_nonnull)); /* not initialised */
void *pool_take_zeroed(size_t size) __attribute__((malloc, returns_nonnull));
void pool_give(void *memory, size_t size); /* size as it was taken; NULL is fine */
