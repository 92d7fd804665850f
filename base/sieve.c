#include "base/sieve.h"

#include <string.h>

#include "base/clones.h"
#include "base/eight.h"

#define BLOCK 64

_Static_assert(SIEVE_BYTES == 6, "mark() names each of them");

/* 1 for each byte that is one of them, else 0. */
CLONED void mark(const char *block, const char *of, char *ret)
{
	char a = of[0], b = of[1], c = of[2], d = of[3], e = of[4], f = of[5];
	for (size_t i = 0; i < BLOCK; i++) {
		char x = block[i];
		ret[i] = (x == a) | (x == b) | (x == c) | (x == d) | (x == e) | (x == f);
	}
}

const char *sieve_next(const struct sieve *s, const char *at, const char *end)
{
	char last[BLOCK] = {0}, marks[BLOCK];
	for (; at < end; at += BLOCK) {
		const char *block = at;
		if (end - at < BLOCK) {
			memcpy(last, at, (size_t)(end - at));
			block = last;
		}
		mark(block, s->bytes, marks);
		size_t first = eight_first_of(marks, BLOCK);
		if (first < BLOCK) {
			return at + first;
		}
		if (block == last) {
			break;
		}
	}
	return end;
}
