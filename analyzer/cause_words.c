#include "analyzer/cause_words.h"

#include <stdlib.h>

#include "base/eight.h"
#include "base/mem.h"

#define ROOM_AT_FIRST 4096
#define FILTER_BITS 18

struct words_entry {
	uint64_t run; /* 0: empty */
	uint32_t where[CAUSE_WORDS_RARE];
	uint32_t n; /* more than CAUSE_WORDS_RARE: common */
};

static inline bool is_word(unsigned char c)
{
	bool letter = (unsigned char)((c | 0x20) - 'a') < 26, digit = (unsigned char)(c - '0') < 10;
	return letter | digit | (c >= 0x80);
}

static inline uint64_t words_of(uint64_t eight)
{
	/* Only a letter is one of a to z with that bit set. */
	return (eight & EIGHT_BITS) | eight_between(eight | EIGHT_OF(0x20), 'a', 'z') |
	       eight_between(eight, '0', '9');
}

static inline uint64_t mix(uint64_t h)
{
	h *= 0x9e3779b97f4a7c15u;
	return h ^ h >> 32;
}

/* Behind the word; its hash is made of eight bytes at a time. */
static const char *read_word(const char *at, const char *end, uint64_t *ret_hash)
{
	uint64_t hash = 0, last;
	size_t n;
	for (;;) {
		uint64_t eight = eight_load(at, (size_t)(end - at));
		n = eight_first(~words_of(eight) & EIGHT_BITS);
		at += n;
		last = __builtin_bswap64(eight);
		if (n < 8) {
			break;
		}
		hash = mix(hash ^ last);
	}
	*ret_hash = mix(hash ^ (n > 0 ? last >> (64 - 8 * n) : 0));
	return at;
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

size_t cause_words_read(struct span text, uint64_t *ret)
{
	const char *at = text.data, *end = at + text.len;
	const uint64_t gone = base_to_the_run();
	uint64_t words[CAUSE_WORDS_RUN] = {0}, hash = 0;
	size_t n_words = 0, n = 0;
	while (text.len) {
		while (at < end && !is_word((unsigned char)*at)) {
			/* The letter of an escape is no word's. */
			at += *at == '\\' && end - at > 1 ? 2 : 1;
		}
		if (at == end) {
			break;
		}
		uint64_t *word = &words[n_words++ % CAUSE_WORDS_RUN], oldest = *word;
		at = read_word(at, end, word);
		hash = hash * BASE + *word - oldest * gone;
		if (n_words >= CAUSE_WORDS_RUN) {
			uint64_t run = mix(hash);
			ret[n++] = run ? run : 1;
		}
	}
	return n;
}

static struct words_entry *find(const struct cause_words *w, uint64_t run)
{
	size_t slot = run & (w->room - 1);
	while (w->entries[slot].run != 0 && w->entries[slot].run != run) {
		slot = (slot + 1) & (w->room - 1);
	}
	return &w->entries[slot];
}

static void grow(struct cause_words *w)
{
	struct cause_words wider = *w;
	wider.room = w->room ? 2 * w->room : ROOM_AT_FIRST;
	wider.entries = xcalloc(wider.room, sizeof(*wider.entries));
	for (size_t i = 0; i < w->room; i++) {
		if (w->entries[i].run) {
			*find(&wider, w->entries[i].run) = w->entries[i];
		}
	}
	free(w->entries);
	*w = wider;
}

/* Most runs of most texts are not asked about: one bit says so, without going to the entries. */
static uint64_t *bits_of(const struct cause_words *w, uint64_t run, uint64_t *ret_bit)
{
	uint64_t number = run >> (64 - FILTER_BITS);
	*ret_bit = UINT64_C(1) << number % 64;
	return &w->filter[number / 64];
}

void cause_words_ask(struct cause_words *w, const uint64_t *runs, size_t n)
{
	if (!w->filter) {
		w->filter = xcalloc(((size_t)1 << FILTER_BITS) / 64, sizeof(*w->filter));
	}
	for (size_t i = 0; i < n; i++) {
		if (2 * (w->n + 1) > w->room) {
			grow(w);
		}
		struct words_entry *e = find(w, runs[i]);
		uint64_t bit, *bits = bits_of(w, runs[i], &bit);
		w->n += e->run == 0;
		e->run = runs[i];
		*bits |= bit;
	}
}

static void note(struct words_entry *e, uint32_t where)
{
	if (e->n > CAUSE_WORDS_RARE || (e->n > 0 && e->where[e->n - 1] == where)) {
		return;
	}
	if (e->n < CAUSE_WORDS_RARE) {
		e->where[e->n] = where;
	}
	e->n++;
}

void cause_words_note(struct cause_words *w, const uint64_t *runs, size_t n, uint32_t where)
{
	for (size_t i = 0; w->n > 0 && i < n; i++) {
		uint64_t bit;
		if (!(*bits_of(w, runs[i], &bit) & bit)) {
			continue;
		}
		struct words_entry *e = find(w, runs[i]);
		if (e->run) {
			note(e, where);
		}
	}
}

bool cause_words_find(const struct cause_words *w, uint64_t run, struct cause_run *ret)
{
	const struct words_entry *e = w->n > 0 ? find(w, run) : NULL;
	*ret = e ? (struct cause_run){e->where, e->n} : (struct cause_run){0};
	return ret->n <= CAUSE_WORDS_RARE;
}

void cause_words_finish(struct cause_words *w)
{
	free(w->entries);
	free(w->filter);
	*w = (struct cause_words){0};
}
