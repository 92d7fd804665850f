#pragma once
/*
 * sketch - how much two requests' texts have in common, told from a few hundred bytes of each.
 *
 * Of all pieces of SKETCH_PIECE bytes of the texts in a request's messages or prompt the smallest hash in each of
 * SKETCH_BINS classes is kept; the share of classes in which two sketches agree estimates the share of
 * pieces that both texts hold (Jaccard), to about 0.06. The last text has a sketch of its own, because
 * long beginnings are often the same for all. Pure.
 */
#include <stdint.h>

#include "base/buf.h"

#define SKETCH_BINS 64
#define SKETCH_PIECE 5

struct sketch {
	uint32_t whole[SKETCH_BINS], last[SKETCH_BINS];
};

/* Of a request's body. One that holds no text gives an empty sketch, which resembles nothing. */
void sketch_make(struct span body, struct sketch *ret);
/* 0 to 1: the mean of what the whole texts and the last ones have in common. */
double sketch_similarity(const struct sketch *a, const struct sketch *b);
