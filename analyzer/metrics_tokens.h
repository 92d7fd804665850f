#pragma once
/*
 * metrics_tokens - the part of metrics that looks at the comparable positions of a pair. Private to
 * metrics.
 */
#include "analyzer/metrics.h"

void metrics_add_tokens(struct metrics *m, const struct columns *base, const struct columns *test);
