#pragma once
/*
 * pool - memory that one thread allocates and another frees.
 *
 * With malloc(), the freeing thread locks the heap of the allocating thread, and may lose its
 * processor while it holds that lock: an event loop would then wait for a recorder thread. Here
 * each thread has a small stock of free pieces of each size. Threads exchange full stocks as a
 * whole, under a lock that is held for a few instructions. Beside up to two stocks of each thread
 * for each size, the pool keeps at most POOL_KEPT bytes. Everything else, and each piece larger
 * than POOL_LARGEST (bytes), goes back to malloc(). Under a sanitizer the pool is malloc(). Any
 * thread.
 */
#include <stddef.h>

#include "base/check.h"

#define POOL_LARGEST ((size_t)4096)
#define POOL_KEPT ((size_t)1 << 20)

void *pool_alloc(size_t size) __attribute__((malloc, returns_nonnull)); /* not initialised */
void *pool_alloc_zeroed(size_t size) __attribute__((malloc, returns_nonnull));
void pool_free(void *memory, size_t size); /* size: as in pool_alloc(); NULL is fine */
