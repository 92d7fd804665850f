#include "capture/keyset.h"

#include <string.h>

#include "base/check.h"

static const struct hash_layout LAYOUT = {sizeof(struct keyset_entry), sizeof(struct keyset_entry)};

static struct keyset_entry entry_of(uint8_t kind, struct span key)
{
	expect(kind != 0);
	struct keyset_entry e = {.kind = kind, .length = (uint8_t)MIN(key.len, KEYSET_KEY_LIMIT)};
	if (e.length) {
		memcpy(e.key, key.data, e.length);
	}
	return e;
}

bool keyset_add(struct keyset *s, uint8_t kind, struct span key)
{
	bool is_new;
	struct keyset_entry e = entry_of(kind, key);
	(void)hash_table_add(&s->table, LAYOUT, &e, &is_new);
	return is_new;
}

bool keyset_has(const struct keyset *s, uint8_t kind, struct span key)
{
	struct keyset_entry e = entry_of(kind, key);
	return hash_table_find(&s->table, LAYOUT, &e) != NULL;
}

bool keyset_next(const struct keyset *s, size_t *at, uint8_t *ret_kind, struct span *ret_key)
{
	const struct keyset_entry *entries = s->table.entries;
	while (*at < s->table.places) {
		const struct keyset_entry *e = &entries[(*at)++];
		if (e->kind) {
			*ret_kind = e->kind;
			*ret_key = (struct span){(const char *)e->key, e->length};
			return true;
		}
	}
	return false;
}

void keyset_finish(struct keyset *s)
{
	hash_table_finish(&s->table);
}
