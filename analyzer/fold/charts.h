#pragma once
/*
 * charts - the points that a report draws, of the answers of one split: differing answers over
 * time, how sure both sides were where they part, how long both answers are. Bounded.
 */
#include "analyzer/compare/tokens/end_token.h"
#include "analyzer/fold/first_differences.h"
#include "analyzer/rows/rows.h"
#include "analyzer/stats/scatter.h"
#include "analyzer/stats/timeline.h"

#define CHARTS_TIME_BINS 96

enum chart_mark {
	CHART_DIFFER = 1 << 0,
	CHART_CHANGED = 1 << 1,       /* so did the meaning */
	CHART_BASE_CENSORED = 1 << 2, /* a gap is at least that, as the other's token is unlisted */
	CHART_TEST_CENSORED = 1 << 3,
	CHART_BASE_ENDED = 1 << 4, /* end_token_is_in() */
	CHART_TEST_ENDED = 1 << 5,
};

struct charts {                   /* zero-initialised is empty */
	struct timeline timeline; /* seconds */
	struct scatter gaps;      /* at first differences: x the base's gap, y the test's; nats */
	struct scatter lengths;   /* x the base's tokens, y the test's */
};

void charts_add(struct charts *c, const struct pair_row *row, const struct pair_facts *facts);
/* Once, after the last pair: lengths without the token that one side alone counts. */
void charts_leave_end_token(struct charts *c, enum end_token end);
void charts_finish(struct charts *c);

/* What the point's first difference is worth, as first_judge() says. */
enum first_verdict charts_verdict(const struct scatter_point *gap, const struct first_scale *scale);
