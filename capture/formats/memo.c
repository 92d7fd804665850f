#include "capture/formats/memo.h"

#include <string.h>

#include "capture/formats/origin_id.h"

static const struct hash_layout LAYOUT = {
        sizeof(struct memo_entry), offsetof(struct memo_entry, extra)};

struct memo_entry *memo_at(struct memo *m, const uint8_t key[MEMO_KEY_SIZE], bool *ret_new)
{
	struct memo_entry wanted = {.taken = 1};
	memcpy(wanted.key, key, MEMO_KEY_SIZE);
	return hash_table_add(&m->table, LAYOUT, &wanted, ret_new);
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
	hash_table_finish(&m->table);
}
