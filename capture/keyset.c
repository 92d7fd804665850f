#include "capture/keyset.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/mem.h"

#define PLACES_AT_FIRST 256

static struct keyset_entry entry_of(uint8_t kind, struct span key)
{
	expect(kind != 0);
	struct keyset_entry e = {.kind = kind, .length = (uint8_t)MIN(key.len, KEYSET_KEY_LIMIT)};
	if (e.length) {
		memcpy(e.key, key.data, e.length);
	}
	return e;
}

static uint64_t hash(const struct keyset_entry *e)
{
	return XXH3_64bits_withSeed(e->key, e->length, e->kind);
}

static bool is_same(const struct keyset_entry *a, const struct keyset_entry *b)
{
	return a->kind == b->kind && a->length == b->length &&
	       memcmp(a->key, b->key, a->length) == 0;
}

/* Returns the entry's place, or the free place where it belongs. There is always a free place. */
static struct keyset_entry *place_of(const struct keyset *s, const struct keyset_entry *e)
{
	size_t i = hash(e) & (s->places - 1);
	while (s->entries[i].kind && !is_same(&s->entries[i], e)) {
		i = (i + 1) & (s->places - 1);
	}
	return &s->entries[i];
}

static void grow(struct keyset *s)
{
	struct keyset bigger = {.n = s->n, .places = s->places ? 2 * s->places : PLACES_AT_FIRST};
	bigger.entries = xcalloc(bigger.places, sizeof(*bigger.entries));
	for (size_t i = 0; i < s->places; i++) {
		if (s->entries[i].kind) {
			*place_of(&bigger, &s->entries[i]) = s->entries[i];
		}
	}
	free(s->entries);
	*s = bigger;
}

bool keyset_add(struct keyset *s, uint8_t kind, struct span key)
{
	if (4 * s->n >= 3 * s->places) {
		grow(s);
	}
	struct keyset_entry e = entry_of(kind, key);
	struct keyset_entry *place = place_of(s, &e);
	if (place->kind) {
		return false;
	}
	*place = e;
	s->n++;
	return true;
}

bool keyset_has(const struct keyset *s, uint8_t kind, struct span key)
{
	if (s->n == 0) {
		return false;
	}
	struct keyset_entry e = entry_of(kind, key);
	return place_of(s, &e)->kind != 0;
}

void keyset_finish(struct keyset *s)
{
	free(s->entries);
	*s = (struct keyset){0};
}
