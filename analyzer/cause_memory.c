#include "analyzer/cause_memory.h"

#include "base/check.h"

#define FACTOR UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t mix(uint64_t h)
{
	h *= FACTOR;
	return h ^ h >> 29;
}

static inline size_t mark_of(uint64_t key)
{
	return key * FACTOR / (UINT64_MAX / CAUSE_MEMORY_MARKS + 1);
}

/* Of one that is all of its token, as most are. */
static inline uint32_t hash_of_key(uint64_t key)
{
	return (uint32_t)(mix(key & ~LISTING_VAGUE) >> 16);
}

static uint32_t hash_of(struct listed token)
{
	uint64_t h = mix(token.key & ~LISTING_VAGUE);
	if (!(token.key & LISTING_LONG)) {
		return hash_of_key(token.key);
	}
	for (size_t i = 0; i < token.bytes.len; i++) {
		h = mix(h ^ (uint8_t)token.bytes.data[i]);
	}
	return (uint32_t)(h >> 16);
}

/* Of its two slots that of the token itself, else the older one. */
void cause_memory_add(struct cause_memory *m, struct listed token, uint32_t at)
{
	uint32_t hash = hash_of(token), slot = hash % CAUSE_MEMORY_SLOTS, other = slot ^ 1;
	bool second = m->slots[slot].hash != hash &&
	              (m->slots[other].hash == hash || m->slots[other].at < m->slots[slot].at);
	slot = second ? other : slot;
	m->slots[slot].hash = hash;
	m->slots[slot].at = at + 1;
	m->marks[mark_of(token.key)] = true;
}

static inline bool has(const struct cause_memory *m, uint32_t hash, uint32_t at)
{
	uint32_t slot = hash % CAUSE_MEMORY_SLOTS;
	slot = m->slots[slot].hash == hash ? slot : slot ^ 1;
	uint32_t seen = m->slots[slot].at;
	return seen && m->slots[slot].hash == hash && at + 1 - seen <= CAUSE_MEMORY_WINDOW;
}

bool cause_memory_has(const struct cause_memory *m, struct listed token, uint32_t at)
{
	return has(m, hash_of(token), at);
}

uint32_t cause_memory_which(
        const struct cause_memory *m, const struct listing *l, uint32_t n, uint32_t at)
{
	const uint64_t *keys = l->of->top_keys + l->from;
	uint32_t marked = 0, which = 0;
	expect(n <= 32);
	for (uint32_t i = 0; i < n; i++) {
		marked |= (uint32_t)m->marks[mark_of(keys[i])] << i;
	}
	for (; marked; marked &= marked - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(marked);
		bool is_long = (keys[i] & LISTING_LONG) != 0;
		uint32_t hash =
		        is_long ? hash_of(listing_row(l, l->from + i)) : hash_of_key(keys[i]);
		which |= (uint32_t)has(m, hash, at) << i;
	}
	return which;
}
