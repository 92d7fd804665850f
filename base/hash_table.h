#pragma once
/*
 * hash_table - entries of one size, found by their keys. Open addressing; at most three places of
 * four are taken. Zero-initialised is empty. One thread.
 *
 * An entry begins with its key. A key has at least one byte that is not zero; callers fill its
 * unused bytes with zeros. Entries move when one is added.
 */
#include <stdbool.h>
#include <stddef.h>

struct hash_table {
	void *entries; /* places of them; a place whose key is zero is free */
	size_t n, places;
};

struct hash_layout {
	size_t entry_size, key_size; /* bytes; key_size: at most entry_size */
};

/* The entry with this key, or NULL. Valid until an entry is added. */
void *hash_table_find(const struct hash_table *t, struct hash_layout l, const void *key);
/* The same; if there is none, it is added, with zeros behind its key (*ret_new). */
void *hash_table_add(struct hash_table *t, struct hash_layout l, const void *key, bool *ret_new)
        __attribute__((returns_nonnull));
void hash_table_finish(struct hash_table *t);
