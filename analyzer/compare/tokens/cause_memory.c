#include "analyzer/compare/tokens/cause_memory.h"

#include <xxhash.h>

void cause_memory_begin(struct cause_memory *m)
{
	*m = (struct cause_memory){0};
}

void cause_memory_add(struct cause_memory *m, struct span token, uint32_t position)
{
	uint64_t hash = XXH3_64bits(token.data, token.len);
	struct cause_memory_set *set = &m->sets[hash % CAUSE_MEMORY_SETS];
	if (set->newer.hash != hash) {
		struct cause_memory_token older = set->older;
		set->older = set->newer;
		set->newer = older.hash == hash ? older : (struct cause_memory_token){.hash = hash};
	}
	set->newer.end = position + 1;
	set->newer.count++;
}

uint32_t cause_memory_count(const struct cause_memory *m, struct span token, uint32_t position)
{
	uint64_t hash = XXH3_64bits(token.data, token.len);
	const struct cause_memory_set *set = &m->sets[hash % CAUSE_MEMORY_SETS];
	const struct cause_memory_token *t = set->newer.hash == hash ? &set->newer : &set->older;
	bool is_there = t->hash == hash && t->end > 0;
	return is_there && position - (t->end - 1) <= CAUSE_MEMORY_WINDOW ? t->count : 0;
}

bool cause_memory_has(const struct cause_memory *m, struct span token, uint32_t position)
{
	return cause_memory_count(m, token, position) > 0;
}
