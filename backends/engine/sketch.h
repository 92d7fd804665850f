#pragma once
/*
 * sketch - estimates how much the texts of two requests have in common, from a few hundred bytes of
 * each.
 *
 * Of all pieces of SKETCH_PIECE bytes of the texts in a request's messages or prompt, it keeps the
 * smallest hash in each of SKETCH_BINS classes. The share of classes in which two sketches agree
 * estimates the share of common pieces (Jaccard), to about 0.06. The last text has its own sketch,
 * because long beginnings are often equal. Pure.
 */
#include <stdint.h>

#include "base/buf.h"

#define SKETCH_BINS 64
#define SKETCH_PIECE 5

struct sketch {
	uint32_t whole[SKETCH_BINS], last[SKETCH_BINS];
};

/* Makes the sketch of a request's body. A body without text gives an empty sketch, which resembles
 * nothing. */
void sketch_make(struct span body, struct sketch *ret);
/* 0 to 1: the mean of the similarities of the whole texts and of the last ones. */
double sketch_similarity(const struct sketch *a, const struct sketch *b);
