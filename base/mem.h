#pragma once
/*
 * mem - allocation that succeeds, or ends the process.
 *
 * If the kernel gives no memory, the process prints one line to standard error and exits with
 * EXIT_RUNTIME, without flushing anything. A capture is then in the same state as after kill -9.
 * Before calling, limit any size that a peer or a file chose: by a limit of the settings, or by a
 * budget (base/budget.h, base/claim.h). Any thread.
 */
#include <stddef.h>

#include "base/check.h"

/* For a long-running process; call it once, before threads start. Blocks of 128 KiB and more then
 * return to the kernel as soon as they are freed; by default glibc does so only for the first. */
void mem_return_large_blocks(void);
/* Returns the free pages of all heaps to the kernel. Other threads wait to allocate while it
 * runs. */
void mem_trim(void);

void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t n, size_t size) __attribute__((malloc, returns_nonnull));
void *xrealloc(void *ptr, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *s) __attribute__((malloc, returns_nonnull));
char *xstrndup(const char *s, size_t n) __attribute__((malloc, returns_nonnull));
void *xmemdup(const void *data, size_t n) __attribute__((malloc, returns_nonnull));
char *xasprintf(const char *format, ...) PRINTF(1, 2) __attribute__((malloc, returns_nonnull));
