#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>

void check_failed(const char *what, const char *file, int line)
{
	fprintf(stderr, "plumbline: %s:%d: broken promise: %s\n", file, line, what);
	abort();
}

void *check_magic(void *ptr, size_t offset, uint32_t value, const char *file, int line)
{
	if (!ptr || *(uint32_t *)((char *)ptr + offset) != value) {
		check_failed("object has another type or is gone", file, line);
	}
	return ptr;
}
