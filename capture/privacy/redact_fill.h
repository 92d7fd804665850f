#pragma once
/*
 * redact_fill - makes placeholders for secrets. A placeholder has as many bytes as the secret, and
 * each character has as many bytes as the one that it replaces.
 *
 * A placeholder is drawn character by character from a keyed hash of the preceding characters of
 * the secret. Therefore, under one key,
 *	- equal texts have equal placeholders, and the placeholders of two texts first differ where
 *	  the texts do, or, in 1 of 26 cases, one character later;
 *	- an alternative of a token gets the placeholder that it would get if it were the token.
 *
 * Comparisons of answers rely on this. Without the key, nobody can learn more than the lengths of
 * two secrets and the place of their first difference. Spaces and control characters stay. A
 * quotation mark, a slash and a backslash become a slash; other ASCII characters become a capital
 * letter; a longer character becomes a fixed sign for its length. In JSON each placeholder takes as
 * many bytes as the text that it replaces, escaped or not; and in an array of bytes, each number
 * keeps its number of digits.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define REDACT_KEY_SIZE 16

/* Replaces one character of `in`, which has at most n bytes, and writes its placeholder to out.
 * Returns the bytes of the character. *state: 0 at the start of a secret; then it depends on the
 * characters so far. */
size_t redact_fill_one(
        const uint8_t key[REDACT_KEY_SIZE], uint64_t *state, const char *in, size_t n, char *out);
void redact_fill(const uint8_t key[REDACT_KEY_SIZE], uint64_t *state, struct span in, char *out);
/* As redact_fill(), but replaces only digits, by digits other than 0. */
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
