#pragma once
/*
 * redact_fill - makes placeholders for secrets. A placeholder has as many bytes as the secret, and
 * each character has as many bytes as the one that it replaces.
 *
 * Spaces and control characters stay. A quotation mark, a slash and a backslash become a slash. A
 * character of several bytes becomes a fixed sign for its length; a byte that is no character
 * becomes '?'. Any other ASCII character becomes a capital letter, drawn from a keyed hash of this
 * character and all before it in the secret. Therefore, under one key,
 *	- equal texts have equal placeholders. The placeholders of two texts are equal up to the
 *	  first character in which the texts differ. This character and each one after it have
 *	  equal letters by chance in 1 of 26 cases;
 *	- an alternative of a token gets the placeholder that it would get if it were the token.
 *
 * Comparisons of answers rely on this. Without the key, a reader learns where a secret has spaces,
 * control characters, one of " / \ and longer characters, the number of bytes of each character,
 * and about where two secrets begin to differ; nothing else.
 *
 * In JSON each placeholder takes as many bytes as the text that it replaces, escaped or not. In an
 * array of bytes each number keeps its width: blanks follow a shorter one.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define REDACT_KEY_SIZE 16

/* Writes the placeholder of the first character of in[0..n) to out, which has room for as many
 * bytes as the character: at most 4. n: at least 1. Returns the number of these bytes. Set *state
 * to 0 at the start of a secret; each call updates it. */
size_t redact_fill_one(
        const uint8_t key[REDACT_KEY_SIZE], uint64_t *state, const char *in, size_t n, char *out);
/* Replaces all characters of `in`. out has room for in.len bytes. *state: as above. */
void redact_fill(const uint8_t key[REDACT_KEY_SIZE], uint64_t *state, struct span in, char *out);
/* As redact_fill(), but replaces only digits, by digits other than 0; all else stays. */
void redact_fill_digits(
        const uint8_t key[REDACT_KEY_SIZE], uint64_t *state, struct span in, char *out);

/* How a piece of the document spells its text. */
enum redact_spelling {
	REDACT_PLAIN,   /* byte for byte */
	REDACT_ESCAPED, /* the inside of a JSON string */
	REDACT_BYTES,   /* an array of numbers from 0 to 255 */
};
/* Decodes one character of a JSON string's content to text, *ret_n bytes. Returns the number of
 * its raw bytes. */
size_t redact_decode_one(struct span raw, char text[4], size_t *ret_n);
/* Appends the decoded text. */
void redact_decode(enum redact_spelling how, struct span raw, struct buf *to);
/*
 * Writes text in the place of raw, in the same spelling. text has the decoded length of raw and
 * differs from it only by redact_fill().
 */
void redact_encode(enum redact_spelling how, char *raw, size_t len, const char *text);
