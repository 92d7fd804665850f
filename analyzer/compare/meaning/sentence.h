#pragma once
/*
 * sentence - compares two texts word by word.
 *
 * Two texts are certainly different if they are equal except for one number, one name or one
 * negation. No other difference of words is certain. The texts must not contain markup. White space
 * does not count. Pure; time is linear in the texts, except for sorting their words.
 */
#include <stdbool.h>

#include "base/buf.h"

enum sentence_difference {
	SENTENCE_EQUAL,
	SENTENCE_NUMBER, /* one number is replaced by another one, at one place or at several */
	SENTENCE_NAME,   /* one name is replaced by another one, at one place or at several */
	/* only one side has a negation: "is" and "isn't", or one more "not", "no" or "never" */
	SENTENCE_NEGATION,
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
/* The Sørensen-Dice coefficient of the multisets of words, 0 to 1: twice the number of common
 * words, divided by the number of words of both texts, ignoring order and case. 0 for texts without
 * words. A word that is twice in both texts counts twice. Numbers count as words. */
double sentence_similarity(const struct sentence *a, const struct sentence *b);
/* the same for two texts; 1 if they are equal */
double sentence_similarity_of(struct span a, struct span b);
/* True if the text ends in a loop: its last words are one word at least 10 times; or a sequence of
 * 2 to 64 words at least 4 times, with at least 20 words in all. Punctuation does not count. False
 * if the text ends in a closing bracket, a backquote or a bar ("|"). */
bool sentence_loops(const struct sentence *s);
bool sentence_is_negation(struct span word); /* "not", "no", "never", or ends in "n't" */
/* Removes the next word from *rest and returns it; empty: there is none. A word begins with a
 * letter here; a hyphen or an apostrophe within it belongs to it. */
struct span sentence_next_word(struct span *rest);
