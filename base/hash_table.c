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

/* The place of the entry with this key, or the free place where it belongs. */
static char *place_of(const struct hash_table *t, struct hash_layout l, const void *key)
{
	size_t i = XXH3_64bits(key, l.key_size) & (t->places - 1);
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

void hash_table_finish(struct hash_table *t)
{
	free(t->entries);
	*t = (struct hash_table){0};
}
