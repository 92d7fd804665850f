#pragma once
/*
 * prompt_sketch - estimates how much the texts of two requests have in common, from a few hundred
 * bytes for each.
 *
 * A sketch divides the hashes of all pieces of PROMPT_SKETCH_PIECE bytes of the messages or prompt
 * into PROMPT_SKETCH_BINS classes, and keeps the smallest hash of each class. The share of classes
 * in which two sketches agree estimates the share of common pieces (Jaccard index), to about 0.06.
 * The last text has a sketch of its own, because long beginnings are often equal. Pure.
 */
#include <stdint.h>

#include "base/buf.h"

#define PROMPT_SKETCH_BINS 64
#define PROMPT_SKETCH_PIECE 5

struct prompt_sketch {
	uint32_t whole[PROMPT_SKETCH_BINS], last[PROMPT_SKETCH_BINS];
};

/* Makes the sketch of a request's body; without text an empty one, which resembles nothing. */
void prompt_sketch_make(struct span body, struct prompt_sketch *ret);
/* From 0 to 1: the mean of the similarity of the whole texts and that of the last texts. */
double prompt_sketch_similarity(const struct prompt_sketch *a, const struct prompt_sketch *b);
