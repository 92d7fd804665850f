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
		set->older = set->newer;
	}
	set->newer.hash = hash;
	set->newer.end = position + 1;
}

bool cause_memory_has(const struct cause_memory *m, struct span token, uint32_t position)
{
	uint64_t hash = XXH3_64bits(token.data, token.len);
	const struct cause_memory_set *set = &m->sets[hash % CAUSE_MEMORY_SETS];
	uint32_t end = set->newer.hash == hash   ? set->newer.end
	               : set->older.hash == hash ? set->older.end
	                                         : 0;
	return end > 0 && position - (end - 1) <= CAUSE_MEMORY_WINDOW;
}
