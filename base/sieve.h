#pragma once
/*
 * sieve - the next byte of a text that is one of a few, looked for many bytes at a time. Pure. For bytes that
 * come every few dozen; where they come every few, or are one alone, a loop or memchr() is quicker.
 */

#define SIEVE_BYTES 6

struct sieve {
	char bytes[SIEVE_BYTES]; /* none of them 0; fewer are said twice */
};

/* At `at` or behind it; `end` if there is none. */
const char *sieve_next(const struct sieve *s, const char *at, const char *end);
