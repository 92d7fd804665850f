#pragma once
/*
 * sieve - the next byte of a text that is one of a few, looked for sixteen at a time. Pure. For bytes that
 * come every few dozen; where they come every few, or are one alone, a loop or memchr() is quicker.
 */
#include "base/sixteen.h"

#define SIEVE_BYTES 6

struct sieve {
	char bytes[SIEVE_BYTES]; /* none of them 0; fewer are said twice */
};

static inline size_t sieve_first(const struct sieve *s, const char *at)
{
	sixteen x = sixteen_load(at), marks = {0};
	for (size_t i = 0; i < SIEVE_BYTES; i++) {
		marks |= x == (unsigned char)s->bytes[i];
	}
	return sixteen_first(marks);
}

/* At `at` or behind it; `end` if there is none. Here, as the bytes are known where it is called. */
static inline const char *sieve_next(const struct sieve *s, const char *at, const char *end)
{
	for (; end - at >= (ptrdiff_t)sizeof(sixteen); at += sizeof(sixteen)) {
		size_t first = sieve_first(s, at);
		if (first < sizeof(sixteen)) {
			return at + first;
		}
	}
	char last[sizeof(sixteen)] = {0};
	size_t n = (size_t)(end - at), first = sizeof(sixteen);
	if (n) {
		memcpy(last, at, n);
		first = sieve_first(s, last);
	}
	return first < n ? at + first : end;
}
