#pragma once
/*
 * word_runs - computes the hashes of all sequences (runs) of WORD_RUN consecutive words in a text.
 * A word is a sequence of letters, digits and bytes of non-ASCII characters; anything else
 * separates words, also an escape in JSON. Pure.
 */
#include <stdint.h>

#include "base/buf.h"

#define WORD_RUN 8
#define WORD_RUNS_LIMIT 1024 /* the most runs; those at the beginning of the text are kept */

/* Writes the hashes to ret, in the order of the text. Returns their number. */
size_t word_runs_read(struct span text, uint64_t ret[WORD_RUNS_LIMIT]);
