#include "base/hash_table.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/mem.h"

#define PLACES_AT_FIRST 256

static bool is_free(const char *entry, size_t key_size)
{
	size_t i = 0;
	while (i < key_size && entry[i] == 0) {
		i++;
	}
	return i == key_size;
}

/* Where a search for the key begins. */
static size_t first_place(const struct hash_table *t, struct hash_layout l, const void *key)
{
	return XXH3_64bits(key, l.key_size) & (t->places - 1);
}

/* The place of the entry with this key, or the free place where it belongs. */
static char *place_of(const struct hash_table *t, struct hash_layout l, const void *key)
{
	size_t i = first_place(t, l, key);
	for (;; i = (i + 1) & (t->places - 1)) {
		char *entry = (char *)t->entries + i * l.entry_size;
		if (is_free(entry, l.key_size) || memcmp(entry, key, l.key_size) == 0) {
			return entry;
		}
	}
}

static void grow(struct hash_table *t, struct hash_layout l)
{
	struct hash_table larger = {
	        .n = t->n, .places = MAX(2 * t->places, (size_t)PLACES_AT_FIRST)};
	larger.entries = xcalloc(larger.places, l.entry_size);
	for (size_t i = 0; i < t->places; i++) {
		const char *entry = (const char *)t->entries + i * l.entry_size;
		if (!is_free(entry, l.key_size)) {
			memcpy(place_of(&larger, l, entry), entry, l.entry_size);
		}
	}
	free(t->entries);
	*t = larger;
}

void *hash_table_find(const struct hash_table *t, struct hash_layout l, const void *key)
{
	char *place = t->n ? place_of(t, l, key) : NULL;
	return place && !is_free(place, l.key_size) ? place : NULL;
}

void *hash_table_add(struct hash_table *t, struct hash_layout l, const void *key, bool *ret_new)
{
	expect(!is_free(key, l.key_size));
	if (4 * (t->n + 1) > 3 * t->places) {
		grow(t, l);
	}
	char *place = place_of(t, l, key);
	*ret_new = is_free(place, l.key_size);
	if (*ret_new) {
		memcpy(place, key, l.key_size);
		t->n++;
	}
	return place;
}

bool hash_table_remove(struct hash_table *t, struct hash_layout l, const void *key, void *ret)
{
	char *entries = t->entries, *found = hash_table_find(t, l, key);
	size_t last = t->places - 1;
	if (!found) {
		return false;
	}
	memcpy(ret, found, l.entry_size);
	/* A search ends at a free place. So the gap moves up to the next free place: an entry
	 * above it fills it, unless its search begins between the two. */
	size_t gap = (size_t)(found - entries) / l.entry_size;
	for (size_t i = (gap + 1) & last; !is_free(entries + i * l.entry_size, l.key_size);
	        i = (i + 1) & last) {
		const char *entry = entries + i * l.entry_size;
		size_t begin = first_place(t, l, entry);
		if (((i - begin) & last) >= ((i - gap) & last)) {
			memcpy(entries + gap * l.entry_size, entry, l.entry_size);
			gap = i;
		}
	}
	memset(entries + gap * l.entry_size, 0, l.entry_size);
	t->n--;
	return true;
}

void hash_table_finish(struct hash_table *t)
{
	free(t->entries);
	*t = (struct hash_table){0};
}
