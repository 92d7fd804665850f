#pragma once
/*
 * filler - generates texts of a given length, for traces that have lengths but no texts. Pure.
 *
 * The words are short, common and English. Each is one token in most vocabularies, so that the
 * number of words is about the number of tokens. The same seed gives the same text.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define FILLER_LIMIT 1000000 /* words of one prompt */

/* Appends n words, each with a space before it. JSON needs no escapes for them. */
void filler_words(struct buf *to, uint64_t seed, size_t n);
