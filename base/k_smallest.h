#pragma once
/*
 * k_smallest - a sorted array of the items with the smallest keys, at most so many: the same ones in
 * whatever order they come. The array and its length are the caller's; NULL and 0 are an empty one.
 */
#include <stdbool.h>
#include <stddef.h>

struct k_smallest {
	size_t size;  /* of an item */
	size_t limit; /* of items; at least 1 */
	int (*compare)(
	        const void *a, const void *b); /* two items by their keys, as qsort() has it */
	/* An item that must make room for one with a smaller key; it is gone afterwards. Or NULL. */
	void (*drop)(void *item, void *arg);
};

/*
 * Finds the item with the key of like, or puts a copy of *like in its place (*ret_new). Returns the
 * array, which may have moved. *ret_at: its index; *n: it has no place.
 */
void *k_smallest_place(const struct k_smallest *s, void *items, size_t *n, const void *like,
        void *arg, size_t *ret_at, bool *ret_new);
