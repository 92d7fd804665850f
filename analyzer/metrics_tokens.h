#pragma once
/*
 * metrics_tokens - the part of metrics that looks at the comparable positions of a pair. Private to
 * the analyzer.
 */
#include "analyzer/metrics.h"

void metrics_add_tokens(struct metrics *m, const struct columns *base, const struct columns *test);
/* What an engine says of some bytes at a position: from its list, or as the token that it chose.
 * NaN: nothing. */
float metrics_logprob_of(const struct columns *c, uint32_t token, struct span bytes);
