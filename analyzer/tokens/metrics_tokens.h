#pragma once
/*
 * metrics_tokens - the part of metrics that looks at one comparable position of a pair. Private to the
 * analyzer.
 */
#include "analyzer/tokens/listing.h"
#include "analyzer/tokens/metrics.h"
#include "analyzer/tokens/position.h"
#include "analyzer/tokens/sheet.h"

/* p: of both listings. equal: both sides chose the same bytes. */
void metrics_add_position(struct metrics *m, const struct listing *base, const struct listing *test,
        const struct position *p, bool equal);
/* Of all positions in a sheet that is reckoned. The totals, of which least and greatest are of no account,
 * and the sum are of its columns. */
void metrics_add_sheet(struct metrics *m, const struct sheet *s, const struct totals *top_change,
        const struct totals *jaccard, double same_top);
