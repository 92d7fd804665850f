#pragma once
/*
 * filler - texts made up to a length, where a trace tells lengths and no texts.
 *
 * Short, common English words, which most vocabularies have as one token each: so many words are about
 * so many tokens. Of the same seed they are the same.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define FILLER_LIMIT 1000000 /* words of one prompt */

/* Appends n words, each with a space before it. No characters that JSON would escape. */
void filler_words(struct buf *to, uint64_t seed, size_t n);
