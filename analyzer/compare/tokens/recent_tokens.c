#include "analyzer/compare/tokens/recent_tokens.h"

#include <xxhash.h>

void recent_tokens_begin(struct recent_tokens *m)
{
	*m = (struct recent_tokens){0};
}

void recent_tokens_add(struct recent_tokens *m, struct span token, uint32_t position)
{
	uint64_t hash = XXH3_64bits(token.data, token.len);
	struct recent_tokens_set *set = &m->sets[hash % RECENT_TOKENS_SETS];
	if (set->newer.hash != hash) {
		struct recent_token older = set->older;
		set->older = set->newer;
		set->newer = older.hash == hash ? older : (struct recent_token){.hash = hash};
	}
	set->newer.end = position + 1;
	set->newer.count++;
}

uint32_t recent_tokens_count(const struct recent_tokens *m, struct span token, uint32_t position)
{
	uint64_t hash = XXH3_64bits(token.data, token.len);
	const struct recent_tokens_set *set = &m->sets[hash % RECENT_TOKENS_SETS];
	const struct recent_token *t = set->newer.hash == hash ? &set->newer : &set->older;
	bool is_there = t->hash == hash && t->end > 0;
	return is_there && position - (t->end - 1) <= RECENT_TOKENS_WINDOW ? t->count : 0;
}

bool recent_tokens_has(const struct recent_tokens *m, struct span token, uint32_t position)
{
	return recent_tokens_count(m, token, position) > 0;
}
