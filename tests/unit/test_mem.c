#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/exit_code.h"
#include "scarcity.h"

Test(mem, a_size_of_zero_is_an_allocation_like_another)
{
	char *a = xmalloc(0), *b = xcalloc(0, 8);
	cr_assert(a && b && a != b);
	b = xrealloc(b, 0);
	free(a);
	free(b);
}

Test(mem, zeroed_memory_is_zero_at_any_size)
{
	static const size_t sizes[] = {1, 1024, 1025, (size_t)1 << 20};
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		char *dirty = xmalloc(sizes[i]);
		memset(dirty, 'x', sizes[i]);
		free(dirty);
		char *p = xcalloc(1, sizes[i]);
		cr_expect(p[0] == 0 && memcmp(p, p + 1, sizes[i] - 1) == 0);
		free(p);
	}
}

#ifndef NO_SCARCITY

Test(mem, without_memory_the_process_ends_with_its_exit_code, .exit_code = EXIT_RUNTIME)
{
	limit_memory(1 << 20);
	free(xmalloc((size_t)64 << 20));
	limit_memory(SIZE_MAX);
	_exit(0);
}

Test(mem, growing_what_there_is_ends_it_likewise, .exit_code = EXIT_RUNTIME)
{
	char *p = xmalloc(10);
	limit_memory(1 << 20);
	p = xrealloc(p, (size_t)64 << 20);
	free(p);
	_exit(0);
}

#endif
