#pragma once
/*
 * grow - a list that grows item by item.
 *
 *	list = grow(list, n, &cap, sizeof(*list));
 *	list[n++] = item;
 */
#include <stddef.h>

#include "base/mem.h"

/* The list with room for one more item. n: number of items; *cap: number of items that have room;
 * size: bytes of an item. */
static inline void *grow(void *list, size_t n, size_t *cap, size_t size)
{
	if (n < *cap) {
		return list;
	}
	*cap = *cap ? 2 * *cap : 16;
	return xrealloc(list, *cap * size);
}
