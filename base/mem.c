#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *or_die(void *ptr)
{
	if (!ptr) {
		fputs("plumbline: out of memory\n", stderr);
		abort();
	}
	return ptr;
}

void *xmalloc(size_t size)
{
	return or_die(malloc(size ? size : 1));
}

void *xcalloc(size_t n, size_t size)
{
	return or_die(calloc(n ? n : 1, size ? size : 1));
}

void *xrealloc(void *ptr, size_t size)
{
	return or_die(realloc(ptr, size ? size : 1));
}

char *xstrdup(const char *s)
{
	return or_die(strdup(s));
}

char *xstrndup(const char *s, size_t n)
{
	return or_die(strndup(s, n));
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
	return or_die(n < 0 ? NULL : text);
}
