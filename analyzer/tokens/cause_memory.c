#include "analyzer/tokens/cause_memory.h"

#include <string.h>

#include "base/check.h"

#define FACTOR UINT64_C(0x9e3779b97f4a7c15)

/* A key's mark is made of its product with the factor; so is the hash of one that is all of its token. */
static inline size_t mark_of(uint64_t product)
{
	return product / (UINT64_MAX / CAUSE_MEMORY_MARKS + 1);
}

static inline uint64_t mix(uint64_t product)
{
	return product ^ product >> 29;
}

static inline uint32_t hash_of_key(uint64_t product)
{
	return (uint32_t)(mix(product) >> 16);
}

static inline size_t mark(uint64_t key)
{
	return mark_of(key * FACTOR);
}

static uint32_t hash_of_long(uint64_t key, struct span bytes)
{
	uint64_t h = mix((key & ~LISTING_VAGUE) * FACTOR);
	for (size_t i = 0; i < bytes.len; i++) {
		h = mix((h ^ (uint8_t)bytes.data[i]) * FACTOR);
	}
	return (uint32_t)(h >> 16);
}

static inline uint32_t hash_of(struct listed token)
{
	return token.key & LISTING_LONG ? hash_of_long(token.key, token.bytes)
	                                : hash_of_key((token.key & ~LISTING_VAGUE) * FACTOR);
}

static inline uint32_t hash_of_row(const struct listings *l, uint32_t row)
{
	uint64_t key = l->top_keys[row];
	return key & LISTING_LONG ? hash_of_long(key, columns_top_token(l->columns, row))
	                          : hash_of_key((key & ~LISTING_VAGUE) * FACTOR);
}

static inline bool is_within(const struct cause_memory_place *p, uint32_t hash, uint32_t at)
{
	return p->hash == hash && at - p->at <= CAUSE_MEMORY_WINDOW;
}

/* Did the token come before? It is added, and pushes out the older one of its set. at: counted through all answers. */
static inline bool put(struct cause_memory *m, uint32_t hash, uint32_t at)
{
	struct cause_memory_set *set = &m->sets[hash / 2 % CAUSE_MEMORY_SETS];
	bool before;
	if (set->newer.hash == hash) {
		before = at - set->newer.at <= CAUSE_MEMORY_WINDOW;
	} else {
		before = is_within(&set->older, hash, at);
		set->older = set->newer;
		set->newer.hash = hash;
	}
	set->newer.at = at;
	return before;
}

static inline bool put_marked(struct cause_memory *m, uint64_t key, uint32_t hash, uint32_t at)
{
	m->marks[mark(key)] |= m->answer;
	m->last = m->from + at;
	return put(m, hash, m->last);
}

static inline bool has(const struct cause_memory *m, uint32_t hash, uint32_t at)
{
	const struct cause_memory_set *set = &m->sets[hash / 2 % CAUSE_MEMORY_SETS];
	const struct cause_memory_place *p = set->newer.hash == hash ? &set->newer : &set->older;
	return is_within(p, hash, m->from + at);
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
	put_marked(m, token.key, hash_of(token), at);
}

bool cause_memory_has(const struct cause_memory *m, struct listed token, uint32_t at)
{
	return has(m, hash_of(token), at);
}

bool cause_memory_again(struct cause_memory *m, const struct listed *token, uint32_t at)
{
	return put_marked(m, token->key, hash_of(*token), at);
}

uint32_t cause_memory_again_all(
        struct cause_memory *m, const uint64_t *keys, uint32_t at, uint32_t n)
{
	const uint32_t from = m->from + at;
	uint32_t came = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t product = keys[i] * FACTOR;
		came += put(m, hash_of_key(product), from + i);
		m->marks[mark_of(product)] |= m->answer;
	}
	m->last = n ? from + n - 1 : m->last;
	return came;
}

bool cause_memory_turn(
        struct cause_memory *m, const struct listed *asked, const struct listed *added, uint32_t at)
{
	bool before = cause_memory_has(m, *asked, at);
	cause_memory_add(m, *added, at);
	return before;
}

/* Bit i: number i of n keys has a mark. */
static inline uint32_t marked_of(const struct cause_memory *m, const uint64_t *keys, uint32_t n)
{
	uint32_t marked = 0;
	for (uint32_t i = 0; i < n; i++) {
		marked |= (uint32_t)((m->marks[mark(keys[i])] & m->answer) != 0) << i;
	}
	return marked;
}

/* Which alternatives from a row on had been there, of those that are marked? */
static uint32_t which(const struct cause_memory *m, const struct listings *l, uint32_t row,
        uint32_t marked, uint32_t at)
{
	uint32_t came = 0;
	for (; marked; marked &= marked - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(marked);
		came |= (uint32_t)has(m, hash_of_row(l, row + i), at) << i;
	}
	return came;
}

uint32_t cause_memory_which(
        const struct cause_memory *m, const struct listing *l, uint32_t n, uint32_t at)
{
	expect(n <= 32);
	return which(m, l->of, l->from, marked_of(m, l->of->top_keys + l->from, n), at);
}

static uint32_t meet_any(struct cause_memory *m, const struct listings *l, uint32_t row,
        uint32_t chosen, uint32_t at)
{
	const uint64_t *keys = l->top_keys + row;
	uint32_t marked = marked_of(m, keys, LISTING_PLAIN) & ~(1U << chosen);
	uint32_t others = marked ? which(m, l, row, marked, at) : 0;
	bool before = put_marked(m, keys[chosen], hash_of_row(l, row + chosen), at);
	return others | (uint32_t)before << chosen;
}

/* Mostly none has, which is asked of all together. */
static inline bool any_other_is_marked(const uint8_t *marks, const uint64_t *keys, uint8_t answer)
{
	_Static_assert(LISTING_PLAIN == 5, "each token is named");
	return (marks[mark(keys[1])] | marks[mark(keys[2])] | marks[mark(keys[3])] |
	               marks[mark(keys[4])]) &
	       answer;
}

void cause_memory_meet_firsts(struct cause_memory *m, const struct listings *l, uint32_t row,
        uint32_t at, uint32_t n, uint64_t *ret)
{
	const uint64_t *keys = l->top_keys + row;
	const uint8_t answer = m->answer;
	const uint32_t from = m->from + at;
	for (uint32_t i = 0; i < n; i++, keys += LISTING_PLAIN) {
		if ((*keys & (LISTING_LONG | LISTING_VAGUE)) ||
		        any_other_is_marked(m->marks, keys, answer)) {
			ret[i] = meet_any(m, l, row + LISTING_PLAIN * i, 0, at + i);
			continue;
		}
		uint64_t product = *keys * FACTOR;
		ret[i] = put(m, hash_of_key(product), from + i);
		m->marks[mark_of(product)] |= answer;
	}
	m->last = from + n - 1;
}

uint32_t cause_memory_meet(struct cause_memory *m, const struct listings *l, uint32_t row,
        uint32_t chosen, uint32_t at)
{
	uint64_t ret;
	if (chosen != 0) {
		return meet_any(m, l, row, chosen, at);
	}
	cause_memory_meet_firsts(m, l, row, at, 1, &ret);
	return (uint32_t)ret;
}
