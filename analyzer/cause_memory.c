#include "analyzer/cause_memory.h"

static inline uint64_t mix(uint64_t h)
{
	h *= 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

/* Of the key, which is all of most tokens. */
static uint32_t hash_of(struct listed token)
{
	uint64_t h = mix(token.key & ~LISTING_VAGUE);
	for (size_t i = 0; (token.key & LISTING_LONG) && i < token.bytes.len; i++) {
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
	m->marks[cause_memory_mark(token.key)] = true;
}

bool cause_memory_has(const struct cause_memory *m, struct listed token, uint32_t at)
{
	uint32_t hash = hash_of(token), slot = hash % CAUSE_MEMORY_SLOTS;
	slot = m->slots[slot].hash == hash ? slot : slot ^ 1;
	uint32_t seen = m->slots[slot].at;
	return seen && m->slots[slot].hash == hash && at + 1 - seen <= CAUSE_MEMORY_WINDOW;
}
