#pragma once
/*
 * redact_fill - what stands in the place of a secret: as many bytes, and of each character as many as it had.
 *
 * A placeholder is drawn character by character from a keyed hash of all that went before in the secret, so
 * that of one key
 *	- equal texts have equal placeholders, and texts that part do so at the same character, or, one time in
 *	  26, at the next;
 *	- an alternative of a token gets what the token itself would have got in its place,
 * which is what a comparison of two answers rests on; without the key nothing is told but lengths and
 * where two secrets part. Spaces and control characters stay, a quotation mark, a slash and a backslash
 * become a slash, other ASCII a capital letter, and longer characters one sign for their length. All
 * of these are written in JSON in as many bytes as what they replace, escaped or not, and as two or three
 * decimal digits where that was so.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define REDACT_KEY_SIZE 16

/* *state: 0 at a secret's beginning; of the characters before it later. One character of in, n bytes at
 * most; returns how many it and its placeholder have. */
size_t redact_fill_one(
        const uint8_t key[REDACT_KEY_SIZE], uint64_t *state, const char *in, size_t n, char *out);
void redact_fill(const uint8_t key[REDACT_KEY_SIZE], uint64_t *state, struct span in, char *out);
/* The same for digits, which stay digits and do not become 0; what is none stays. */
void redact_fill_digits(
        const uint8_t key[REDACT_KEY_SIZE], uint64_t *state, struct span in, char *out);

/* How a piece of the document spells its text. */
enum redact_spelling {
	REDACT_PLAIN,   /* byte for byte */
	REDACT_ESCAPED, /* the inside of a JSON string */
	REDACT_BYTES,   /* an array of numbers from 0 to 255 */
};
/* One character of a JSON string's inside: how many raw bytes it takes, and its text of *ret_n bytes. */
size_t redact_decode_one(struct span raw, char text[4], size_t *ret_n);
/* Appends the text that is spelled so. */
void redact_decode(enum redact_spelling how, struct span raw, struct buf *to);
/*
 * Spells text, which has as many bytes as what raw spelled and differs from it by what redact_fill() makes
 * alone, in raw's place.
 */
void redact_encode(enum redact_spelling how, char *raw, size_t len, const char *text);
