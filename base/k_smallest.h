#pragma once
/*
 * k_smallest - the items with the k smallest keys, in a sorted array: the same items in whatever
 * order they are added. The caller owns the array and its length; NULL and 0 are an empty one. One
 * thread.
 */
#include <stdbool.h>
#include <stddef.h>

struct k_smallest {
	size_t size;  /* of an item */
	size_t limit; /* of items; at least 1 */
	int (*compare)(
	        const void *a, const void *b); /* two items by their keys, as qsort() has it */
	/* Called for an item that leaves for one with a smaller key. Or NULL. */
	void (*drop)(void *item, void *arg);
};

/*
 * Finds the item whose key is that of *like, or inserts a copy of *like (*ret_new). Returns the
 * array, which may have moved. *ret_at: the item's index; *n if its key is too large to be kept.
 */
void *k_smallest_place(const struct k_smallest *s, void *items, size_t *n, const void *like,
        void *arg, size_t *ret_at, bool *ret_new);
