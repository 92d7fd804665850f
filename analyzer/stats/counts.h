#pragma once
/*
 * counts - adds up structs that have only uint64_t members. Pure.
 */
#include <stddef.h>
#include <stdint.h>

static inline void counts_add(uint64_t *to, const uint64_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		to[i] += from[i];
	}
}

/* Adds each member of *from to that of *to. Both are structs of one type. */
#define COUNTS_ADD(to, from)                                                                       \
	do {                                                                                       \
		_Static_assert(sizeof(*(to)) == sizeof(*(from)), "of one type");                   \
		_Static_assert(sizeof(*(to)) % sizeof(uint64_t) == 0, "counts alone");             \
		counts_add((uint64_t *)(void *)(to), (const uint64_t *)(const void *)(from),       \
		        sizeof(*(to)) / sizeof(uint64_t));                                         \
	} while (0)
