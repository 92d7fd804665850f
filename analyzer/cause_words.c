#include "analyzer/cause_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define RUN_LIMIT 16

struct words_entry {
	uint64_t key; /* 0: empty */
	uint32_t where[CAUSE_WORDS_RARE];
	uint32_t n; /* more than CAUSE_WORDS_RARE: common */
};

/* The hashes of the last words of a text. */
struct reader {
	const unsigned char *at, *end;
	uint64_t words[RUN_LIMIT];
	size_t n;
};

static bool is_word(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c >= 0x80;
}

/* False: the text ended. */
static bool next_word(struct reader *r)
{
	while (r->at < r->end && !is_word(*r->at)) {
		/* The letter of an escape is no word's. */
		r->at += *r->at == '\\' && r->end - r->at > 1 ? 2 : 1;
	}
	if (r->at == r->end) {
		return false;
	}
	uint64_t h = 0;
	for (; r->at < r->end && is_word(*r->at); r->at++) {
		h = (h ^ *r->at) * 0x9e3779b97f4a7c15u;
		h ^= h >> 32;
	}
	r->words[r->n++ % RUN_LIMIT] = h;
	return true;
}

/* The run that ends with the last word; 0: there are too few words yet. */
static uint64_t run_of(const struct reader *r, size_t run)
{
	uint64_t h = 0;
	if (r->n < run) {
		return 0;
	}
	for (size_t i = r->n - run; i < r->n; i++) {
		h = (h ^ r->words[i % RUN_LIMIT]) * 0xd6e8feb86659fd93u;
		h ^= h >> 32;
	}
	return h ? h : 1;
}

static struct words_entry *find(const struct cause_words *w, uint64_t key)
{
	size_t slot = key & (w->room - 1);
	while (w->entries[slot].key != 0 && w->entries[slot].key != key) {
		slot = (slot + 1) & (w->room - 1);
	}
	return &w->entries[slot];
}

static void grow(struct cause_words *w)
{
	struct cause_words wider = {.run = w->run, .room = w->room ? 2 * w->room : 4096};
	wider.entries = xcalloc(wider.room, sizeof(*wider.entries));
	for (size_t i = 0; i < w->room; i++) {
		if (w->entries[i].key) {
			*find(&wider, w->entries[i].key) = w->entries[i];
		}
	}
	wider.n = w->n;
	free(w->entries);
	*w = wider;
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

void cause_words_add(struct cause_words *w, struct span text, uint32_t where)
{
	const unsigned char *data = (const unsigned char *)text.data;
	struct reader r = {.at = data, .end = data + text.len};
	expect(w->run > 0 && w->run <= RUN_LIMIT);
	while (text.len && next_word(&r)) {
		uint64_t key = run_of(&r, w->run);
		if (key == 0) {
			continue;
		}
		if (2 * (w->n + 1) > w->room) {
			grow(w);
		}
		struct words_entry *e = find(w, key);
		w->n += e->key == 0;
		e->key = key;
		note(e, where);
	}
}

void cause_words_each(const struct cause_words *w, struct span text, cause_words_fn fn, void *arg)
{
	const unsigned char *data = (const unsigned char *)text.data;
	struct reader r = {.at = data, .end = data + text.len};
	while (text.len && w->room && next_word(&r)) {
		uint64_t key = run_of(&r, w->run);
		const struct words_entry *e = key ? find(w, key) : NULL;
		if (e && e->key && e->n <= CAUSE_WORDS_RARE) {
			const struct cause_run run = {e->where, e->n};
			fn(arg, &run);
		}
	}
}

void cause_words_finish(struct cause_words *w)
{
	free(w->entries);
	*w = (struct cause_words){0};
}
