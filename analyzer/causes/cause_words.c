#include "analyzer/causes/cause_words.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/check.h"
#include "base/mem.h"

#define SLOTS_AT_FIRST 4096

struct words_entry {
	uint64_t run;
	uint16_t where[CAUSE_WORDS_RARE];
	uint16_t n; /* more than CAUSE_WORDS_RARE: common, and `where` is full */
};

static bool is_of_word(char c)
{
	uint8_t letter = (uint8_t)((c | 0x20) - 'a');
	return letter < 26 || (c >= '0' && c <= '9') || (uint8_t)c >= 0x80;
}

/* The end of the word that begins at `at`; at: none does. */
static const char *word_end(const char *at, const char *end)
{
	while (at < end && is_of_word(*at)) {
		at++;
	}
	return at;
}

/* The hash of each word; their number. An escape's letter is no word's. */
static size_t hash_words(struct span text, uint64_t *ret)
{
	size_t n = 0;
	const char *end = text.data + text.len;
	for (const char *at = text.data; at < end;) {
		const char *stop = word_end(at, end);
		if (stop > at) {
			ret[n++] = XXH3_64bits(at, (size_t)(stop - at));
			at = stop;
		} else {
			at += *at == '\\' && end - at > 1 ? 2 : 1;
		}
	}
	return n;
}

size_t cause_words_read(struct span text, uint64_t *ret)
{
	uint64_t words[CAUSE_WORDS_TEXT / 2 + 1];
	expect(text.len <= CAUSE_WORDS_TEXT);
	size_t n = hash_words(text, words);
	if (n < CAUSE_WORDS_RUN) {
		return 0;
	}
	size_t runs = n - (CAUSE_WORDS_RUN - 1);
	for (size_t i = 0; i < runs; i++) {
		ret[i] = XXH3_64bits(words + i, CAUSE_WORDS_RUN * sizeof(*words));
	}
	return runs;
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

static void ask(struct cause_words *w, uint64_t run)
{
	if (2 * (size_t)w->n == w->n_slots) {
		grow(w);
	}
	uint32_t *slot = slot_of(w, run);
	if (*slot == 0) {
		w->entries[w->n] = (struct words_entry){.run = run};
		*slot = ++w->n;
	}
}

void cause_words_ask(struct cause_words *w, const uint64_t *runs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		ask(w, runs[i]);
	}
}

static void note(struct words_entry *e, uint16_t text)
{
	/* Texts come in their order: one that says the run twice has been noted last. */
	if (e->n > CAUSE_WORDS_RARE || (e->n > 0 && e->where[e->n - 1] == text)) {
		return;
	}
	if (e->n < CAUSE_WORDS_RARE) {
		e->where[e->n] = text;
	}
	e->n++;
}

void cause_words_note(
        struct cause_words *w, const uint64_t *runs, size_t n, uint32_t where, uint32_t texts)
{
	expect(texts == 1 || texts == 2);
	expect(where + texts <= CAUSE_WORDS_TEXTS);
	for (size_t i = 0; i < n && w->n > 0; i++) {
		struct words_entry *e = find(w, runs[i]);
		/* One that repeats the run has noted all its texts before. */
		if (e && (e->n == 0 || e->n > CAUSE_WORDS_RARE ||
		                 e->where[e->n - 1] != where + texts - 1)) {
			for (uint32_t text = where; text < where + texts; text++) {
				note(e, (uint16_t)text);
			}
		}
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
		w->n = 0;
	}
}

void cause_words_finish(struct cause_words *w)
{
	free(w->entries);
	free(w->slots);
	*w = (struct cause_words){0};
}
