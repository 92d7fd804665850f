#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/exit_code.h"

#define LARGE_BLOCK (128 << 10)
/* unused bytes kept at the top of a heap, so that it does not grow and shrink with each request */
#define KEPT_AT_TOP (1 << 20)

void mem_return_large_blocks(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
	mallopt(M_TRIM_THRESHOLD, KEPT_AT_TOP);
#endif
}

void mem_trim(void)
{
#ifdef __GLIBC__
	malloc_trim(KEPT_AT_TOP);
#endif
}

/* This must not allocate memory. */
NORETURN static void die(size_t size)
{
	char text[96];
	int n = snprintf(
	        text, sizeof(text), "plumbline: out of memory: can't allocate %zu bytes\n", size);
	(void)!write(STDERR_FILENO, text, (size_t)n);
	_exit(EXIT_RUNTIME);
}

void *xmalloc(size_t size)
{
	void *ptr = malloc(size ? size : 1);
	if (!ptr) {
		die(size);
	}
	return ptr;
}

/* glibc's malloc() uses a thread's cache of small blocks; calloc() does not. */
#define CACHED 1024

void *xcalloc(size_t n, size_t size)
{
	size_t bytes;
	expect(!__builtin_mul_overflow(n, size, &bytes));
	if (bytes <= CACHED) {
		return memset(xmalloc(bytes), 0, bytes);
	}
	void *ptr = calloc(n, size);
	if (!ptr) {
		die(bytes);
	}
	return ptr;
}

void *xrealloc(void *old, size_t size)
{
	void *ptr = realloc(old, size ? size : 1);
	if (!ptr) {
		die(size);
	}
	return ptr;
}

char *xstrdup(const char *s)
{
	return xmemdup(s, strlen(s) + 1);
}

char *xstrndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *copy = xmalloc(len + 1);
	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

void *xmemdup(const void *data, size_t n)
{
	void *copy = xmalloc(n);
	if (n) {
		memcpy(copy, data, n);
	}
	return copy;
}

char *xasprintf(const char *format, ...)
{
	char *text = NULL;
	va_list args;
	va_start(args, format);
	int n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0) {
		die(0);
	}
	return text;
}
