#pragma once
/*
 * cause_words - runs of words that texts say, and an index of which texts say the same run. A word is a run
 * of letters and digits, whatever stands between two of them; a JSON text's escapes stand between words.
 *
 * A text is read once; from then on its runs are their hashes. The index holds no more than the runs that
 * are asked about: these first, then the runs of all texts in their order, then what was found.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define CAUSE_WORDS_TEXT 4096 /* bytes of a text, at most */
#define CAUSE_WORDS_RUN 8     /* words in a run */
#define CAUSE_WORDS_RARE 6    /* a run that more texts say is a common phrase */
#define CAUSE_WORDS_TEXTS UINT16_MAX

/* The runs of a text of n bytes are no more than that. */
#define CAUSE_WORDS_MOST(n) ((n) / 2 + 1)

/* One run begins at each word that has enough others behind it. ret: CAUSE_WORDS_MOST(text.len); their number. */
size_t cause_words_read(struct span text, uint64_t *ret);

struct words_entry;

struct cause_words { /* zero-initialised is empty */
	/* Of runs that are asked about, in the order of asking, which is that of a text's runs: what one look reads, the next ones
	 * need. */
	struct words_entry *entries;
	uint32_t n;
	uint32_t *slots; /* open addressing by run: an entry's number, from 1 on; 0: empty */
	size_t n_slots;  /* a power of two */
};

struct cause_run {
	const uint16_t *where; /* texts that say it, in the order in which they were noted */
	size_t n;
};

void cause_words_ask(struct cause_words *w, const uint64_t *runs, size_t n);
/* texts: so many say the same, from `where` on; 1 or 2. Of texts numbered below CAUSE_WORDS_TEXTS. */
void cause_words_note(
        struct cause_words *w, const uint64_t *runs, size_t n, uint32_t where, uint32_t texts);
/* Of a run that was asked about and that some text says; false: it is a common phrase. */
bool cause_words_find(const struct cause_words *w, uint64_t run, struct cause_run *ret);
/* Nothing is asked about any longer; the memory is kept. */
void cause_words_clear(struct cause_words *w);
void cause_words_finish(struct cause_words *w);
