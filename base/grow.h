#pragma once
/*
 * grow - makes room in a heap array that grows item by item. NULL with *cap 0 is an empty one.
 *
 *	list = grow(list, n, &cap, sizeof(*list));
 *	list[n++] = item;
 */
#include <stddef.h>

#include "base/mem.h"

/* Returns the list with room for one more item. n: its items; *cap: the items that it has room for;
 * size: bytes of an item. */
static inline void *grow(void *list, size_t n, size_t *cap, size_t size)
{
	if (n < *cap) {
		return list;
	}
	*cap = *cap ? 2 * *cap : 16;
	return xrealloc(list, *cap * size);
}
