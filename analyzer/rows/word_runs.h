#pragma once
/*
 * word_runs - a text as the hashes of all runs of WORD_RUN words in it. A word is a run of
 * letters and digits, whatever stands between two of them; a JSON text's escapes stand between
 * words.
 */
#include <stdint.h>

#include "base/buf.h"

#define WORD_RUN 8
#define WORD_RUNS_LIMIT 1024 /* of one text, from its beginning; a word more is not read */

/* ret: in the order of the text; returns their number. */
size_t word_runs_read(struct span text, uint64_t ret[WORD_RUNS_LIMIT]);
