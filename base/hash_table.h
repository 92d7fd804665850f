#pragma once
/*
 * hash_table - entries of one size, found by their keys. Zero-initialised is empty. One thread.
 *
 * An entry begins with its key. A key must have at least one byte that is not zero; the caller sets
 * unused bytes of a key to zero. Adding or removing an entry moves others.
 */
#include <stdbool.h>
#include <stddef.h>

struct hash_table {
	/* `places` entries, of which n are in use; an entry whose key is zero is free */
	void *entries;
	size_t n, places;
};

/* The same in all calls for a table. */
struct hash_layout {
	size_t entry_size, key_size; /* in bytes; key_size is at most entry_size */
};

/* The entry with this key, or NULL. Valid until an entry is added or removed. */
void *hash_table_find(const struct hash_table *t, struct hash_layout l, const void *key);
/* Adds an entry with this key, and zeros after it, if there is none. *ret_new: whether it was
 * added; always set. Returns the entry, which is valid until another one is added or removed. */
void *hash_table_add(struct hash_table *t, struct hash_layout l, const void *key, bool *ret_new)
        __attribute__((returns_nonnull));
/* Removes the entry with this key. Returns true and copies it to *ret; false: there is none. */
bool hash_table_remove(struct hash_table *t, struct hash_layout l, const void *key, void *ret);
void hash_table_finish(struct hash_table *t);
