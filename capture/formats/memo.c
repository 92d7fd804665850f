#include "capture/formats/memo.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/mem.h"
#include "capture/formats/origin_id.h"

#define FIRST_PLACES 1024

static struct memo_entry *place_of(const struct memo *m, const uint8_t key[MEMO_KEY_SIZE])
{
	size_t i = XXH3_64bits(key, MEMO_KEY_SIZE) & (m->places - 1);
	while (m->entries[i].taken && memcmp(m->entries[i].key, key, MEMO_KEY_SIZE) != 0) {
		i = (i + 1) & (m->places - 1);
	}
	return &m->entries[i];
}

static void grow(struct memo *m)
{
	struct memo old = *m;
	m->places = old.places ? 2 * old.places : FIRST_PLACES;
	m->entries = xcalloc(m->places, sizeof(*m->entries));
	for (size_t i = 0; i < old.places; i++) {
		if (old.entries[i].taken) {
			*place_of(m, old.entries[i].key) = old.entries[i];
		}
	}
	free(old.entries);
}

struct memo_entry *memo_at(struct memo *m, const uint8_t key[MEMO_KEY_SIZE], bool *ret_new)
{
	if (4 * (m->n + 1) > 3 * m->places) {
		grow(m);
	}
	struct memo_entry *e = place_of(m, key);
	*ret_new = !e->taken;
	if (!e->taken) {
		memcpy(e->key, key, MEMO_KEY_SIZE);
		e->taken = true;
		m->n++;
	}
	return e;
}

struct memo_entry *memo_named(struct memo *m, const char *what, struct span name, bool *ret_new)
{
	uint8_t key[MEMO_KEY_SIZE];
	struct origin_hash h;
	origin_hash_begin(&h, what);
	origin_hash_span(&h, name);
	origin_hash_end(&h, key);
	return memo_at(m, key, ret_new);
}

void memo_finish(struct memo *m)
{
	free(m->entries);
	*m = (struct memo){0};
}
