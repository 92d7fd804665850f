#include "capture/formats/digest_map.h"

#include <string.h>

#include "capture/formats/origin_id.h"

static const struct hash_layout LAYOUT = {
        sizeof(struct digest_entry), offsetof(struct digest_entry, extra)};

struct digest_entry *digest_map_at(
        struct digest_map *m, const uint8_t key[DIGEST_KEY_SIZE], bool *ret_new)
{
	struct digest_entry wanted = {.taken = 1};
	memcpy(wanted.key, key, DIGEST_KEY_SIZE);
	return hash_table_add(&m->table, LAYOUT, &wanted, ret_new);
}

struct digest_entry *digest_map_named(
        struct digest_map *m, const char *what, struct span name, bool *ret_new)
{
	uint8_t key[DIGEST_KEY_SIZE];
	struct origin_hash h;
	origin_hash_begin(&h, what);
	origin_hash_span(&h, name);
	origin_hash_end(&h, key);
	return digest_map_at(m, key, ret_new);
}

void digest_map_finish(struct digest_map *m)
{
	hash_table_finish(&m->table);
}
