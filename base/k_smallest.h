#pragma once
/*
 * k_smallest - keeps the items with the k smallest keys in a sorted array; the order of adding does
 * not matter. The caller owns the array and its length; NULL and 0 are an empty one. One thread.
 */
#include <stdbool.h>
#include <stddef.h>

struct k_smallest {
	size_t size;  /* of an item */
	size_t limit; /* of items; at least 1 */
	int (*compare)(
	        /* compares two items by their keys, as for qsort() */
	        const void *a, const void *b);
	/* Called for an item that is replaced by one with a smaller key. May be NULL. */
	void (*drop)(void *item, void *arg);
};

/*
 * Finds the item with the key of *like, or inserts a copy of *like (*ret_new). Returns the array,
 * which may have moved. *ret_at: the item's index; *n if its key is too large.
 */
void *k_smallest_place(const struct k_smallest *s, void *items, size_t *n, const void *like,
        void *arg, size_t *ret_at, bool *ret_new);
