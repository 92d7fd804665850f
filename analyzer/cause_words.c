#include "analyzer/cause_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/clones.h"
#include "base/eight.h"
#include "base/mem.h"

#define BLOCK 64 /* bytes */
#define SLOTS_AT_FIRST 4096
#define WAITING_BITS 17
#define WAITING_SIZE ((size_t)1 << WAITING_BITS)
#define WAITING_MANY UINT8_MAX /* that, or more: no longer counted */

struct words_entry {
	uint64_t run;
	uint16_t where[CAUSE_WORDS_RARE + 2]; /* two are put down at a time, behind the last, too */
	uint16_t n;                           /* more than CAUSE_WORDS_RARE: common */
};

/* A text's bytes with zeros behind them, so that it can be looked at by the block. */
struct padded {
	char bytes[CAUSE_WORDS_TEXT + BLOCK];
	uint8_t is_word[CAUSE_WORDS_TEXT + BLOCK]; /* each byte: 0 or 1 */
	size_t len;                                /* of the text */
};

/* n: a multiple of BLOCK. */
CLONED void mark_words(const char *bytes, size_t n, uint8_t *ret)
{
	for (size_t i = 0; i < (n & ~(size_t)(BLOCK - 1)); i++) {
		uint8_t c = (uint8_t)bytes[i], letter = (uint8_t)((c | 0x20) - 'a');
		uint8_t digit = (uint8_t)(c - '0');
		ret[i] = (letter < 26) | (digit < 10) | (c >= 0x80);
	}
}

/* The letter of an escape is no word's. */
static void unmark_escapes(struct padded *p)
{
	const char *at = p->bytes, *end = p->bytes + p->len;
	while (end - at > 1 && (at = memchr(at, '\\', (size_t)(end - at - 1)))) {
		p->is_word[at + 1 - p->bytes] = 0;
		at += 2;
	}
}

static void pad(struct padded *p, struct span text)
{
	expect(text.len <= CAUSE_WORDS_TEXT);
	p->len = text.len;
	if (text.len) {
		memcpy(p->bytes, text.data, text.len);
	}
	memset(p->bytes + text.len, 0, BLOCK);
	mark_words(p->bytes, text.len + BLOCK - 1, p->is_word);
	unmark_escapes(p);
}

/* A bit for each byte of a block that is a word's, the first one's lowest. */
static inline uint64_t bits_of_block(const uint8_t *is_word)
{
	uint64_t bits = 0;
	for (size_t i = 0; i < BLOCK; i += 8) {
		uint64_t eight = eight_load((const char *)is_word + i, 8);
		bits |= eight * UINT64_C(0x0102040810204080) >> 56 << i;
	}
	return bits;
}

static inline uint64_t mix(uint64_t h)
{
	h *= 0x9e3779b97f4a7c15u;
	return h ^ h >> 32;
}

/* Eight bytes of which n are the word's; what is behind it is no part of it. */
static inline uint64_t load_last(const char *at, size_t n)
{
	static const uint64_t own[] = {0, UINT64_MAX >> 56, UINT64_MAX >> 48, UINT64_MAX >> 40,
	        UINT64_MAX >> 32, UINT64_MAX >> 24, UINT64_MAX >> 16, UINT64_MAX >> 8, UINT64_MAX};
	return eight_load(at, 8) & own[n];
}

static uint64_t hash_long_word(const char *at, size_t n)
{
	uint64_t hash = 0;
	for (; n > 8; n -= 8, at += 8) {
		hash = mix(hash ^ eight_load(at, 8));
	}
	return mix(hash ^ load_last(at, n));
}

/* Of eight bytes at a time; most words have no more. */
static inline uint64_t hash_word(const char *at, size_t n)
{
	return n <= 8 ? mix(load_last(at, n)) : hash_long_word(at, n);
}

/*
 * A run's hash is a polynomial of its words' hashes, so that the next one is made of it by what comes and
 * what goes.
 */
#define BASE UINT64_C(0xd6e8feb86659fd93)

static uint64_t base_to_the_run(void)
{
	uint64_t power = 1;
	for (size_t i = 0; i < CAUSE_WORDS_RUN; i++) {
		power *= BASE;
	}
	return power;
}

/* The lowest of the bits, which is not among them any longer. */
static inline size_t take_bit(uint64_t *bits)
{
	size_t at = (size_t)__builtin_ctzll(*bits);
	*bits &= *bits - 1;
	return at;
}

/* Words begin and end in turn where a bit is another one than that before it. */
static size_t hash_words(const struct padded *p, uint64_t *ret)
{
	size_t n = 0;
	const char *begin = p->bytes;
	uint64_t before = 0;
	for (size_t from = 0; from < p->len; from += BLOCK) {
		const char *block = p->bytes + from;
		uint64_t bits = bits_of_block(p->is_word + from);
		uint64_t edges = bits ^ (bits << 1 | before);
		if (before && edges) {
			const char *end = block + take_bit(&edges);
			ret[n++] = hash_word(begin, (size_t)(end - begin));
		}
		while (edges) {
			begin = block + take_bit(&edges);
			if (edges) {
				const char *end = block + take_bit(&edges);
				ret[n++] = hash_word(begin, (size_t)(end - begin));
			}
		}
		before = bits >> (BLOCK - 1);
	}
	if (before) {
		ret[n++] = hash_word(begin, (size_t)(p->bytes + p->len - begin));
	}
	return n;
}

size_t cause_words_read(struct span text, uint64_t *ret)
{
	const uint64_t gone = base_to_the_run();
	struct padded padded;
	uint64_t words[CAUSE_WORDS_TEXT / 2 + 1], hash = 0;
	pad(&padded, text);
	size_t n = hash_words(&padded, words);
	for (size_t i = 0; i < MIN(n, (size_t)CAUSE_WORDS_RUN - 1); i++) {
		hash = hash * BASE + words[i];
	}
	if (n < CAUSE_WORDS_RUN) {
		return 0;
	}
	for (size_t i = CAUSE_WORDS_RUN - 1, oldest = 0; i < n; i++) {
		hash = hash * BASE + words[i] - oldest * gone;
		oldest = words[i - (CAUSE_WORDS_RUN - 1)];
		ret[i - (CAUSE_WORDS_RUN - 1)] = hash;
	}
	return n - (CAUSE_WORDS_RUN - 1);
}

/* Where the run's entry is told, or would be. */
static uint32_t *slot_of(const struct cause_words *w, uint64_t run)
{
	size_t slot = run & (w->n_slots - 1);
	while (w->slots[slot] != 0 && w->entries[w->slots[slot] - 1].run != run) {
		slot = (slot + 1) & (w->n_slots - 1);
	}
	return &w->slots[slot];
}

/* There are slots. */
static inline struct words_entry *find(const struct cause_words *w, uint64_t run)
{
	uint32_t number = *slot_of(w, run);
	return number ? &w->entries[number - 1] : NULL;
}

static void grow(struct cause_words *w)
{
	w->n_slots = w->n_slots ? 2 * w->n_slots : SLOTS_AT_FIRST;
	w->entries = xrealloc(w->entries, w->n_slots / 2 * sizeof(*w->entries));
	w->slots = xrealloc(w->slots, w->n_slots * sizeof(*w->slots));
	memset(w->slots, 0, w->n_slots * sizeof(*w->slots));
	for (uint32_t i = 0; i < w->n; i++) {
		*slot_of(w, w->entries[i].run) = i + 1;
	}
}

/* Most runs of most texts are not asked about, or are common: a count of others says so, without going to the slots. */
static uint8_t *waiting_of(const struct cause_words *w, uint64_t run)
{
	return &w->waiting[run >> (64 - WAITING_BITS)];
}

static void ask(struct cause_words *w, uint64_t run)
{
	if (2 * (size_t)w->n == w->n_slots) {
		grow(w);
	}
	uint32_t *slot = slot_of(w, run);
	if (*slot == 0) {
		uint8_t *waiting = waiting_of(w, run);
		*waiting = (uint8_t)MIN(*waiting + 1, WAITING_MANY);
		w->entries[w->n] = (struct words_entry){.run = run};
		*slot = ++w->n;
	}
}

void cause_words_ask(struct cause_words *w, const uint64_t *runs, size_t n)
{
	if (!w->waiting) {
		w->waiting = xcalloc(WAITING_SIZE, 1);
	}
	for (size_t i = 0; i < n; i++) {
		ask(w, runs[i]);
	}
}

/* Texts come in their order: one that says the run twice has been noted last. */
static void note(struct words_entry *e, uint32_t first, uint32_t last)
{
	if (e->n == 0 || e->where[e->n - 1] != last) {
		e->where[e->n] = (uint16_t)first;
		e->where[e->n + 1] = (uint16_t)last;
		e->n += (uint16_t)(last - first + 1);
	}
}

/* From the i-th on; n: none. Mostly none of four does. */
static size_t next_waiting(const struct cause_words *w, const uint64_t *runs, size_t i, size_t n)
{
	while (n - i >= 4 &&
	        (*waiting_of(w, runs[i]) | *waiting_of(w, runs[i + 1]) |
	                *waiting_of(w, runs[i + 2]) | *waiting_of(w, runs[i + 3])) == 0) {
		i += 4;
	}
	while (i < n && *waiting_of(w, runs[i]) == 0) {
		i++;
	}
	return i;
}

static void note_run(struct cause_words *w, uint64_t run, uint32_t first, uint32_t last)
{
	struct words_entry *e = find(w, run);
	if (!e || e->n > CAUSE_WORDS_RARE) {
		return;
	}
	note(e, first, last);
	if (e->n > CAUSE_WORDS_RARE) {
		uint8_t *waiting = waiting_of(w, run);
		*waiting -= *waiting < WAITING_MANY;
	}
}

void cause_words_note(
        struct cause_words *w, const uint64_t *runs, size_t n, uint32_t where, uint32_t texts)
{
	expect(texts == 1 || texts == 2);
	expect(where + texts <= CAUSE_WORDS_TEXTS);
	if (w->n == 0) {
		return;
	}
	for (size_t i = 0; (i = next_waiting(w, runs, i, n)) < n; i++) {
		note_run(w, runs[i], where, where + texts - 1);
	}
}

bool cause_words_find(const struct cause_words *w, uint64_t run, struct cause_run *ret)
{
	const struct words_entry *e = w->n > 0 ? find(w, run) : NULL;
	*ret = e ? (struct cause_run){e->where, e->n} : (struct cause_run){0};
	return ret->n <= CAUSE_WORDS_RARE;
}

void cause_words_clear(struct cause_words *w)
{
	if (w->n > 0) {
		memset(w->slots, 0, w->n_slots * sizeof(*w->slots));
		memset(w->waiting, 0, WAITING_SIZE);
		w->n = 0;
	}
}

void cause_words_finish(struct cause_words *w)
{
	free(w->entries);
	free(w->slots);
	free(w->waiting);
	*w = (struct cause_words){0};
}
