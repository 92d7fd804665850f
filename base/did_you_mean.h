#pragma once
/*
 * did_you_mean - proposes a known word for an unknown one. Pure.
 */

#define NEAREST_WORD_LIMIT 64 /* bytes; longer words are never near */

/* Returns the near word of the NULL-terminated list with the smallest edit distance to s; NULL:
 * none is near. Near: the distance is at most a third of the shorter word (at least 1), or one word
 * begins with the other, of 3 bytes or more. An edit inserts, deletes or replaces a byte, or swaps
 * two neighbours. Letter case does not matter, and - equals _. */
const char *nearest_word(const char *s, const char *const *words);

struct did_you_mean {
	char text[NEAREST_WORD_LIMIT + sizeof("; did you mean --?")];
};

/* Returns the end of a message about an unknown word: "; did you mean WORD?", or "" if near is
 * NULL. near: from nearest_word(). dashes: "--" for an option, otherwise "". */
struct did_you_mean did_you_mean(const char *dashes, const char *near);
