#pragma once
/*
 * crosstalk_side - how many answers of one side say what belongs to other requests: rows of cross-talk, summed up in any
 * order.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/rows/rows.h"
#include "analyzer/stats/exact_sum.h"

struct crosstalk_side {          /* zero-initialised is empty */
	uint64_t heard;          /* answers with words of an exchange under way at the same time */
	uint64_t elsewhere;      /* with words of others only */
	struct exact_sum chance; /* over both */
	struct exact_losses losses;
	uint64_t greedy_heard;
	struct cause_exchanges exchanges;
};
void crosstalk_side_add(struct crosstalk_side *s, const struct crosstalk_row *row);
/* How likely so many answers would have met words of exchanges under way, were it all the same
 * to them which exchanges were; NaN: none met any. */
double crosstalk_side_p(const struct crosstalk_side *s);
