#pragma once
/*
 * cause_words - an index of the runs of words in many texts: which of them say the same run. Runs that
 * more than CAUSE_WORDS_RARE texts have are common phrases, and not told. A word is a run of
 * letters and digits, whatever stands between two of them; a JSON text's escapes stand between words.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define CAUSE_WORDS_RARE 6

struct words_entry;

struct cause_words {
	size_t run; /* words in a run: set by the caller, at most 16 */
	struct words_entry *entries;
	size_t n, room;
};

struct cause_run {
	const uint32_t *where; /* texts that have it */
	size_t n;
};

typedef void (*cause_words_fn)(void *arg, const struct cause_run *run);

void cause_words_add(struct cause_words *w, struct span text, uint32_t where);
/* Of each run of the text that the index holds and that is rare. */
void cause_words_each(const struct cause_words *w, struct span text, cause_words_fn fn, void *arg);
void cause_words_finish(struct cause_words *w);
