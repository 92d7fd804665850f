#pragma once
/*
 * did_you_mean - proposes a known word for an unknown one. Pure.
 */

#define NEAREST_WORD_LIMIT 64 /* bytes; longer words are never near */

/* Returns the word of the list that is nearest to s, or NULL if none is near. Each insertion,
 * deletion, substitution and swap of neighbours counts; case does not, nor does - against _. */
const char *nearest_word(const char *s, const char *const *words);

struct did_you_mean {
	char text[NEAREST_WORD_LIMIT + sizeof("; did you mean --?")];
};

/*
 * Returns the end of a message about an unknown word: "; did you mean WORD?", or "" if near is NULL.
 * near: from nearest_word(). dashes: "--" for an option, otherwise "".
 */
struct did_you_mean did_you_mean(const char *dashes, const char *near);
