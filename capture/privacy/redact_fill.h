#pragma once
/*
 * redact_fill - placeholders for secrets, with the same number of bytes, and of bytes in each
 * character.
 *
 * A placeholder is drawn character by character from a keyed hash of the preceding characters of
 * the secret. Therefore, under one key,
 *	- equal texts have equal placeholders, and the placeholders of two texts first differ where
 *	  the texts do, or, in 1 of 26 cases, one character later;
 *	- an alternative of a token gets what the token itself would have got in its place.
 *
 * Comparisons of answers rely on this. Without the key, only lengths and the place of the first
 * difference of two secrets can be known. Spaces and control characters stay; a quotation mark, a
 * slash and a backslash become a slash; other ASCII becomes a capital letter; longer characters
 * become one sign for their length. In JSON all of these take as many bytes as what they replace,
 * escaped or not, and as many decimal digits where a byte is written as two or three digits.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define REDACT_KEY_SIZE 16

/* *state: 0 at the start of a secret, then of the characters before. Replaces one character of
 * `in`, which has at most n bytes; returns how many bytes it and its placeholder have. */
size_t redact_fill_one(
        const uint8_t key[REDACT_KEY_SIZE], uint64_t *state, const char *in, size_t n, char *out);
void redact_fill(const uint8_t key[REDACT_KEY_SIZE], uint64_t *state, struct span in, char *out);
/* As redact_fill() for digits, which become digits other than 0; other characters stay. */
void redact_fill_digits(
        const uint8_t key[REDACT_KEY_SIZE], uint64_t *state, struct span in, char *out);

/* How a piece of the document spells its text. */
enum redact_spelling {
	REDACT_PLAIN,   /* byte for byte */
	REDACT_ESCAPED, /* the inside of a JSON string */
	REDACT_BYTES,   /* an array of numbers from 0 to 255 */
};
/* Decodes one character of a JSON string's content: returns its raw bytes, and its text of *ret_n
 * bytes. */
size_t redact_decode_one(struct span raw, char text[4], size_t *ret_n);
/* Appends the decoded text. */
void redact_decode(enum redact_spelling how, struct span raw, struct buf *to);
/*
 * Encodes text in the place of raw. text has the decoded length of raw and differs from it only by
 * redact_fill().
 */
void redact_encode(enum redact_spelling how, char *raw, size_t len, const char *text);
