#include "analyzer/tokens/cause_memory.h"

#include <string.h>

#include "base/check.h"

static uint32_t hash_of(struct listed token)
{
	if (!(token.key & LISTING_LONG)) {
		return cause_memory_hash(token.key);
	}
	uint64_t h = cause_memory_mix(token.key & ~LISTING_VAGUE);
	for (size_t i = 0; i < token.bytes.len; i++) {
		h = cause_memory_mix(h ^ (uint8_t)token.bytes.data[i]);
	}
	return (uint32_t)(h >> 16);
}

void cause_memory_begin(struct cause_memory *m)
{
	if (m->last > UINT32_MAX / 2) {
		*m = (struct cause_memory){0};
	}
	m->from = m->last + CAUSE_MEMORY_WINDOW + 1;
	m->answer = (uint8_t)(m->answer << 1);
	if (m->answer == 0) {
		memset(m->marks, 0, sizeof(m->marks));
		m->answer = 1;
	}
}

void cause_memory_add(struct cause_memory *m, struct listed token, uint32_t at)
{
	cause_memory_put(m, token.key, hash_of(token), m->from + at);
}

static inline bool has(const struct cause_memory *m, uint32_t hash, uint32_t at)
{
	const struct cause_memory_set *set = &m->sets[hash / 2 % CAUSE_MEMORY_SETS];
	const struct cause_memory_place *p = set->newer.hash == hash ? &set->newer : &set->older;
	return cause_memory_is_within(p, hash, m->from + at);
}

bool cause_memory_has(const struct cause_memory *m, struct listed token, uint32_t at)
{
	return has(m, hash_of(token), at);
}

bool cause_memory_again(struct cause_memory *m, const struct listed *token, uint32_t at)
{
	return cause_memory_put(m, token->key, hash_of(*token), m->from + at);
}

bool cause_memory_turn(
        struct cause_memory *m, const struct listed *asked, const struct listed *added, uint32_t at)
{
	bool before = cause_memory_has(m, *asked, at);
	cause_memory_add(m, *added, at);
	return before;
}

uint32_t cause_memory_hash_long(const struct listings *l, uint32_t row)
{
	return hash_of((struct listed){l->top_keys[row], columns_top_token(l->columns, row)});
}

uint32_t cause_memory_came(const struct cause_memory *m, const struct listings *l, uint32_t row,
        uint32_t marked, uint32_t at)
{
	uint32_t came = 0;
	for (; marked; marked &= marked - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(marked);
		came |= (uint32_t)has(m, cause_memory_hash_row(l, row + i), at) << i;
	}
	return came;
}

uint32_t cause_memory_which(
        const struct cause_memory *m, const struct listing *l, uint32_t n, uint32_t at)
{
	const uint64_t *keys = l->of->top_keys + l->from;
	uint32_t marked = 0;
	expect(n <= 32);
	for (uint32_t i = 0; i < n; i++) {
		marked |= (uint32_t)cause_memory_is_marked(m, keys[i]) << i;
	}
	return cause_memory_came(m, l->of, l->from, marked, at);
}
