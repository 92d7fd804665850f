#pragma once
/*
 * mem - allocation that does not fail, and where the line runs to that which may.
 *
 * Small is what malloc() has in its heap: up to MEM_SMALL. What is small may be asked for here by anybody: should malloc() have
 * none, the reserve (base/reserve.h) is let go of, memory counts as short from then on, and nothing new is let in until it no longer is. Only when
 * that, too, is spent does the process end, with a message.
 *
 * What a peer can make larger must not come here by itself. It is asked for by forms that may fail (buf_try_append(), chunk_try_make(), pool_try_take(),
 * tab_reserve(), plain malloc()), or the work that needs it is done in a room (room_enter()) that was there before it began. In both cases the answer to
 * "no" is the caller's: the copy or the record is dropped as `memory`, the request gets 503, the connection is closed.
 *
 * Commands that read captures and documents have no reserve: what they read is limited before it comes here, and they may end.
 */
#include <stddef.h>

#include "base/check.h"

#define MEM_SMALL ((size_t)128 << 10)

/*
 * Once, before there are threads, by a process that is to live long: whatever is larger than MEM_SMALL is the kernel's again as soon as it is freed. By
 * itself malloc() takes one large body for a sign that there will be more, and keeps room for them in its heaps for good.
 */
void mem_keep_small(void);
/* Whole pages that are free become the kernel's again. Any thread; whoever allocates or frees in a heap waits while it is walked through. */
void mem_give_back(void);

void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t n, size_t size) __attribute__((malloc, returns_nonnull));
void *xrealloc(void *ptr, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *s) __attribute__((malloc, returns_nonnull));
char *xstrndup(const char *s, size_t n) __attribute__((malloc, returns_nonnull));
void *xmemdup(const void *data, size_t n) __attribute__((malloc, returns_nonnull));
char *xasprintf(const char *format, ...) PRINTF(1, 2) __attribute__((malloc, returns_nonnull));
