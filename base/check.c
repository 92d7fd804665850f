#include "base/check.h"

#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void check_failed(const char *what, const char *file, int line)
{
	fprintf(stderr, "plumbline: %s:%d: assertion failed: %s\n", file, line, what);
	/* A report of the failure should include the call stack. */
	void *frames[32];
	backtrace_symbols_fd(frames, backtrace(frames, ARRAY_LEN(frames)), STDERR_FILENO);
	abort();
}

void *check_magic(void *ptr, size_t offset, uint32_t value, const char *file, int line)
{
	if (!ptr || *(uint32_t *)((char *)ptr + offset) != value) {
		check_failed("object has another type or is gone", file, line);
	}
	return ptr;
}
