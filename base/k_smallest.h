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

/* Returns the item with the same key as *key, which is an item; if there is none, inserts a copy of
 * *key and sets *ret_new to true. NULL: not inserted, because the array is full of smaller keys.
 * array: the address of the caller's pointer to the items, which may move. arg is for drop().
 * ret_new may be NULL. */
void *k_smallest_place(const struct k_smallest *s, void *array, size_t *n, const void *key,
        void *arg, bool *ret_new);
