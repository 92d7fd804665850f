#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/reserve.h"

#define KEPT_AT_TOP (1 << 20) /* of a heap, so that it does not grow and shrink with each request */

void mem_keep_small(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, (int)MEM_SMALL);
	mallopt(M_TRIM_THRESHOLD, KEPT_AT_TOP);
#endif
}

void mem_give_back(void)
{
#ifdef __GLIBC__
	malloc_trim(KEPT_AT_TOP);
#endif
}

NORETURN static void die(void)
{
	fputs("plumbline: out of memory\n", stderr);
	abort();
}

/* malloc() had none, or realloc() of what stands at old. */
static void *insist(void *old, size_t size)
{
	while (reserve_let_go()) {
		void *ptr = realloc(old, size);
		if (ptr) {
			return ptr;
		}
	}
	die();
}

void *xmalloc(size_t size)
{
	size = size ? size : 1;
	void *ptr = malloc(size);
	return ptr ? ptr : insist(NULL, size);
}

/* calloc() passes over a thread's own stock of small blocks, which malloc() takes from. */
#define STOCKED 1024

void *xcalloc(size_t n, size_t size)
{
	n = n ? n : 1;
	size = size ? size : 1;
	size_t bytes;
	expect(!__builtin_mul_overflow(n, size, &bytes));
	if (bytes <= STOCKED) {
		return memset(xmalloc(bytes), 0, bytes);
	}
	void *ptr = calloc(n, size);
	return ptr ? ptr : memset(insist(NULL, bytes), 0, bytes);
}

void *xrealloc(void *old, size_t size)
{
	size = size ? size : 1;
	void *ptr = realloc(old, size);
	return ptr ? ptr : insist(old, size);
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
	int n;
	do {
		va_list args;
		va_start(args, format);
		n = vasprintf(&text, format, args);
		va_end(args);
	} while (n < 0 && reserve_let_go());
	if (n < 0) {
		die();
	}
	return text;
}
