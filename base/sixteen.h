#pragma once
/*
 * sixteen - sixteen bytes of a text looked at in one go, as a vector. Pure.
 *
 * What is asked of each byte is answered by all bits of its lane, or none.
 */
#include "base/eight.h"

typedef unsigned char sixteen __attribute__((vector_size(16)));

/* The sixteen bytes at `at`. */
static inline sixteen sixteen_load(const char *at)
{
	sixteen bytes;
	memcpy(&bytes, at, sizeof(bytes));
	return bytes;
}

/* The number of the first byte that is marked, 16 if none is. */
static inline size_t sixteen_first(sixteen marks)
{
	uint64_t halves[2];
	memcpy(halves, &marks, sizeof(halves));
	size_t first = eight_first(le64toh(halves[0]));
	return halves[0] ? first : 8 + eight_first(le64toh(halves[1]));
}
