#pragma once
/*
 * sentence - compares two texts word by word.
 *
 * Two texts are certainly different if they are equal except for one number, one name or one
 * negation. No other difference of words is certain. The texts must not contain markup. Pure; one
 * thread; time is linear in the texts, except for sorting their words.
 */
#include <stdbool.h>

#include "base/buf.h"

enum sentence_difference {
	SENTENCE_EQUAL,
	SENTENCE_NUMBER,   /* one number replaced, in any place */
	SENTENCE_NAME,     /* one name replaced, in any place */
	SENTENCE_NEGATION, /* a "not", "n't", "no" or "never" on one side */
	SENTENCE_OTHER,
};

struct sentence {          /* zero-initialise it before the first use; reusable */
	struct buf tokens; /* words, numbers and punctuation marks; they point into the text */
	struct buf hashes; /* of the words and numbers, in lower case */
	struct buf sorted; /* the hashes, sorted */
};

/* The text must outlive the result. */
void sentence_read(struct sentence *s, struct span text);
void sentence_finish(struct sentence *s);

enum sentence_difference sentence_compare(const struct sentence *a, const struct sentence *b);
/* Twice the number of common words over the number of all words, ignoring order and case: 0 to
 * 1. */
double sentence_similarity(const struct sentence *a, const struct sentence *b);
double sentence_similarity_of(struct span a, struct span b); /* 1 for equal texts */
/* True if the text ends in one word that repeats ten times or more, or in up to 64 words that
 * repeat four times or more, with at least 20 words in all, and not in a closing bracket. */
bool sentence_loops(const struct sentence *s);
bool sentence_is_negation(struct span word); /* "not", "no", "never", or ends in "n't" */
/* Removes the next word from *rest and returns it; empty: there is none. */
struct span sentence_next_word(struct span *rest);
