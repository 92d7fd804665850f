#pragma once
/*
 * cause_memory - which tokens came lately in an answer. Bounded: a set of places may forget what other tokens put
 * there, rarely, and then a repeat goes unnoticed.
 *
 * It lives on from answer to answer, of which each begins where the window of the one before is over: nothing is
 * cleared but the marks, and these of eight answers in one go.
 */
#include <stdbool.h>
#include <stdint.h>

#include "analyzer/tokens/listing.h"

#define CAUSE_MEMORY_WINDOW 256 /* tokens; more than engines' penalties usually look back */
#define CAUSE_MEMORY_SETS 512   /* of two tokens each */

#define CAUSE_MEMORY_MARKS 2048

struct cause_memory { /* zero-initialised; cause_memory_begin() comes first */
	/* Positions are counted through all answers: where the one under way begins, and the last one added. */
	uint32_t from, last;
	uint8_t answer; /* its bit in marks */
	/* By the keys of all tokens that ever came in an answer: most others are told from these by it alone. */
	uint8_t marks[CAUSE_MEMORY_MARKS];
	struct cause_memory_set {
		struct cause_memory_place {
			uint32_t hash, at; /* at 0: empty, which is before any window */
		} newer, older;
	} sets[CAUSE_MEMORY_SETS];
};

/* Another answer, of less than 2^30 tokens: none of its tokens came yet. */
void cause_memory_begin(struct cause_memory *m);
/* Positions only rise. */
void cause_memory_add(struct cause_memory *m, struct listed token, uint32_t at);
/* Did the token come within the window before that position? */
bool cause_memory_has(const struct cause_memory *m, struct listed token, uint32_t at);
/* The same of one token, before another is added; and of one that is added itself. */
bool cause_memory_turn(struct cause_memory *m, const struct listed *asked,
        const struct listed *added, uint32_t at);
bool cause_memory_again(struct cause_memory *m, const struct listed *token, uint32_t at);
/* The same of the first n alternatives of a listing, which are at most 32: bit i tells of number i. */
uint32_t cause_memory_which(
        const struct cause_memory *m, const struct listing *l, uint32_t n, uint32_t at);

/* Private to the two functions below and to cause_memory.c: */
#define CAUSE_MEMORY_FACTOR UINT64_C(0x9e3779b97f4a7c15)
uint32_t cause_memory_hash_long(const struct listings *l, uint32_t row);
uint32_t cause_memory_came(const struct cause_memory *m, const struct listings *l, uint32_t row,
        uint32_t marked, uint32_t at);

static inline uint64_t cause_memory_mix(uint64_t h)
{
	h *= CAUSE_MEMORY_FACTOR;
	return h ^ h >> 29;
}

static inline size_t cause_memory_mark(uint64_t key)
{
	return key * CAUSE_MEMORY_FACTOR / (UINT64_MAX / CAUSE_MEMORY_MARKS + 1);
}

static inline bool cause_memory_is_marked(const struct cause_memory *m, uint64_t key)
{
	return m->marks[cause_memory_mark(key)] & m->answer;
}

/* Of one that is all of its token, as most are. */
static inline uint32_t cause_memory_hash(uint64_t key)
{
	return (uint32_t)(cause_memory_mix(key & ~LISTING_VAGUE) >> 16);
}

static inline uint32_t cause_memory_hash_row(const struct listings *l, uint32_t row)
{
	uint64_t key = l->top_keys[row];
	return key & LISTING_LONG ? cause_memory_hash_long(l, row) : cause_memory_hash(key);
}

static inline bool cause_memory_is_within(
        const struct cause_memory_place *p, uint32_t hash, uint32_t at)
{
	return p->hash == hash && at - p->at <= CAUSE_MEMORY_WINDOW;
}

/* Did the token come before? It is added, and pushes out the older one of its set. at: counted through all answers. */
static inline bool cause_memory_put(
        struct cause_memory *m, uint64_t key, uint32_t hash, uint32_t at)
{
	struct cause_memory_set *set = &m->sets[hash / 2 % CAUSE_MEMORY_SETS];
	const struct cause_memory_place newer = set->newer;
	bool before = cause_memory_is_within(&newer, hash, at);
	if (newer.hash != hash) {
		before = cause_memory_is_within(&set->older, hash, at);
		set->older = newer;
	}
	set->newer = (struct cause_memory_place){hash, at};
	m->last = at;
	m->marks[cause_memory_mark(key)] |= m->answer;
	return before;
}

/* Private to the next two: did the token of a row come before? It is added. */
static inline uint32_t cause_memory_meet_chosen(
        struct cause_memory *m, const struct listings *l, uint32_t row, uint32_t at)
{
	uint32_t hash = cause_memory_hash_row(l, row);
	return cause_memory_put(m, l->top_keys[row], hash, m->from + at);
}

/* What cause_memory_which() says of LISTING_PLAIN alternatives from a row on, of which number `chosen` was chosen:
 * it is added then. */
static inline uint32_t cause_memory_meet(struct cause_memory *m, const struct listings *l,
        uint32_t row, uint32_t chosen, uint32_t at)
{
	const uint64_t *keys = l->top_keys + row;
	uint32_t marked = 0;
	for (uint32_t i = 0; i < LISTING_PLAIN; i++) {
		marked |= (uint32_t)cause_memory_is_marked(m, keys[i]) << i;
	}
	marked &= ~(1U << chosen);
	uint32_t others = marked ? cause_memory_came(m, l, row, marked, at) : 0;
	return others | cause_memory_meet_chosen(m, l, row + chosen, at) << chosen;
}

/* The same of number 0: mostly none of the others has a mark, which is asked of all together. */
static inline uint32_t cause_memory_meet_first(
        struct cause_memory *m, const struct listings *l, uint32_t row, uint32_t at)
{
	const uint64_t *keys = l->top_keys + row;
	_Static_assert(LISTING_PLAIN == 5, "each token is named");
	if ((m->marks[cause_memory_mark(keys[1])] | m->marks[cause_memory_mark(keys[2])] |
	            m->marks[cause_memory_mark(keys[3])] | m->marks[cause_memory_mark(keys[4])]) &
	        m->answer) {
		return cause_memory_meet(m, l, row, 0, at);
	}
	return cause_memory_meet_chosen(m, l, row, at);
}
