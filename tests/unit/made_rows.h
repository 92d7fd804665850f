#pragma once
/*
 * made_rows - makes random values for the members of rows, the same in every run.
 */
#include <string.h>

#include "base/mem.h"
#include "seeded.h"

static void fill(void *to, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		((uint8_t *)to)[i] = (uint8_t)rnd();
	}
}

static char *text_or_null(void)
{
	if (below(3) == 0) {
		return NULL;
	}
	size_t n = below(4) ? below(40) : below(70000);
	char *s = xmalloc(n + 1);
	for (size_t i = 0; i < n; i++) {
		s[i] = (char)(1 + below(255));
	}
	s[n] = '\0';
	return s;
}

static uint64_t wide(void)
{
	return rnd() >> below(64);
}
