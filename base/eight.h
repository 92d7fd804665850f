#pragma once
/*
 * eight - eight bytes of a text looked at in one go, as one number whose lowest byte is the first. Pure.
 *
 * What is asked of each byte is answered by its highest bit; all others are 0.
 */
#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EIGHT_OF(c) (UINT64_C(0x0101010101010101) * (uint8_t)(c))
#define EIGHT_BITS EIGHT_OF(0x80)

/* The first n bytes at `at`, at most eight; zeros behind them. */
static inline uint64_t eight_load(const char *at, size_t n)
{
	uint64_t eight;
	if (n >= 8) {
		memcpy(&eight, at, 8);
		return le64toh(eight);
	}
	if (n >= 4) { /* two halves, one of which may lie over the other */
		uint32_t low, high;
		memcpy(&low, at, 4);
		memcpy(&high, at + n - 4, 4);
		return le32toh(low) | (uint64_t)le32toh(high) << 8 * (n - 4);
	}
	if (n == 0) {
		return 0;
	}
	size_t middle = n / 2, last = n - 1;
	return (uint8_t)at[0] | (uint64_t)(uint8_t)at[middle] << 8 * middle |
	       (uint64_t)(uint8_t)at[last] << 8 * last;
}

/* Bytes that are c. */
static inline uint64_t eight_are(uint64_t eight, char c)
{
	uint64_t other = eight ^ EIGHT_OF(c);
	return ~(((other & ~EIGHT_BITS) + ~EIGHT_BITS) | other) & EIGHT_BITS;
}

/* Bytes from low to high, which are both ASCII. */
static inline uint64_t eight_between(uint64_t eight, char low, char high)
{
	uint64_t seven = eight & ~EIGHT_BITS;
	uint64_t from = seven + EIGHT_OF(0x80 - low), above = seven + EIGHT_OF(0x7f - high);
	return from & ~above & ~eight & EIGHT_BITS;
}

/* As is_space() says. */
static inline uint64_t eight_spaces(uint64_t eight)
{
	return eight_are(eight, ' ') | eight_between(eight, '\t', '\r');
}

static inline uint64_t eight_uppers(uint64_t eight)
{
	return eight_between(eight, 'A', 'Z');
}

static inline uint64_t eight_lower(uint64_t eight)
{
	return eight | eight_uppers(eight) >> 2;
}

/* The number of the first byte that is marked, 8 if none is. */
static inline size_t eight_first(uint64_t marks)
{
	return marks ? (size_t)__builtin_ctzll(marks) / 8 : 8;
}

/* All bits of the bytes before the first that is marked, of all eight if none is. */
static inline uint64_t eight_before(uint64_t marks)
{
	return ((marks & -marks) >> 7) - 1;
}
