#pragma once
/*
 * k_smallest - keeps the items with the k smallest keys in a sorted array; the order of adding does
 * not matter. The caller owns the array and its length. One thread.
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

/*
 * key: the item to insert; `compare` compares it with others. If an item with the same key is
 * there, returns that one. Else inserts a copy and returns it; from a full array the last item is
 * dropped. NULL: the array is full, and all keys are smaller. The returned pointer is valid until
 * the next call. *ret_new (if ret_new is not NULL): true if inserted. arg is for drop().
 *
 * array: the address of the caller's pointer to the items, which may move. Begin with NULL and 0:
 * the function allocates the array; the caller frees it with free().
 */
void *k_smallest_place(const struct k_smallest *s, void *array, size_t *n, const void *key,
        void *arg, bool *ret_new);
