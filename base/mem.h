#pragma once
/*
 * mem - allocation that does not fail: on exhaustion the process ends with a message.
 *
 * Sizes chosen by a peer or a file are limited by the caller before they come here.
 */
#include <stddef.h>

#include "base/check.h"

void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t n, size_t size) __attribute__((malloc, returns_nonnull));
void *xrealloc(void *ptr, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *s) __attribute__((malloc, returns_nonnull));
char *xstrndup(const char *s, size_t n) __attribute__((malloc, returns_nonnull));
void *xmemdup(const void *data, size_t n) __attribute__((malloc, returns_nonnull));
char *xasprintf(const char *format, ...) PRINTF(1, 2) __attribute__((malloc, returns_nonnull));
