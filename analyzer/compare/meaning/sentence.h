#pragma once
/*
 * sentence - two texts compared word by word.
 *
 * Two texts are certainly different if they are equal word for word but for one number, one name
 * or one negation. Nothing else that words tell is certain. Texts are expected without markup.
 * Pure; one thread; time is linear in the texts but for sorting their words.
 */
#include <stdbool.h>

#include "base/buf.h"

enum sentence_difference {
	SENTENCE_EQUAL,
	SENTENCE_NUMBER,   /* one number for another, wherever it stands */
	SENTENCE_NAME,     /* one name for another, likewise */
	SENTENCE_NEGATION, /* a "not", "n't", "no" or "never" on one side */
	SENTENCE_OTHER,
};

struct sentence {          /* zero-initialised is ready; can be used again and again */
	struct buf tokens; /* words, numbers and punctuation marks; they point into the text */
	struct buf hashes; /* of the words and numbers, in lower case */
	struct buf sorted; /* the same, in order */
};

/* The text must outlive what is read. */
void sentence_read(struct sentence *s, struct span text);
void sentence_finish(struct sentence *s);

enum sentence_difference sentence_compare(const struct sentence *a, const struct sentence *b);
/* Twice the words that both have by all their words, in any order and case: 0 to 1. */
double sentence_similarity(const struct sentence *a, const struct sentence *b);
double sentence_similarity_of(struct span a, struct span b); /* 1 for equal texts */
/* The text ends in one word that comes ten times or more, or in up to 64 words that come four times
 * or more, in all 20 words or more; and in no closing bracket. */
bool sentence_loops(const struct sentence *s);
bool sentence_is_negation(struct span word); /* "not", "no", "never", or it ends in "n't" */
/* The next word of *rest, which begins behind it then; empty: there is none. */
struct span sentence_next_word(struct span *rest);
