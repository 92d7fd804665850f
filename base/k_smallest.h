#pragma once
/*
 * k_smallest - keeps the items with the k smallest keys in a sorted array; the order of adding does
 * not matter. The caller owns the array and its length; NULL and 0 are an empty one. One thread.
 */
#include <stdbool.h>
#include <stddef.h>

struct k_smallest {
	size_t size;  /* of an item, bytes */
	size_t limit; /* the k: the most items that the array keeps; at least 1 */
	int (*compare)(const void *a, const void *b); /* by key, as for qsort() */
	/* Called for an item that leaves the array because one with a smaller key takes its
	 * place. May be NULL. */
	void (*drop)(void *item, void *arg);
};

/* key: an item. Returns the item in the array with the same key; if there is none, a copy of *key,
 * which it inserts. NULL: not inserted, because the array is full of smaller keys. *ret_new, always
 * set: an item was inserted; ret_new may be NULL. array: the address of the caller's pointer to the
 * items, which may move. arg is for drop(). */
void *k_smallest_place(const struct k_smallest *s, void *array, size_t *n, const void *key,
        void *arg, bool *ret_new);
