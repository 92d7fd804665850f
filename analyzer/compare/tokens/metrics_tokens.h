#pragma once
/*
 * metrics_tokens - the part of metrics that looks at one comparable position of a pair. Private to
 * the analyzer.
 */
#include "analyzer/compare/tokens/listing.h"
#include "analyzer/compare/tokens/metrics.h"
#include "analyzer/compare/tokens/position.h"

/* p: of both listings; equal: both sides chose the same bytes. */
void metrics_add_position(struct metrics *m, const struct listing *base, const struct listing *test,
        const struct position *p, bool equal);
