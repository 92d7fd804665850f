#pragma once
/*
 * crosstalk_side - counts the answers of one side that contain text of other requests. Rows of
 * cross-talk may come in any order.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/rows/rows.h"
#include "analyzer/stats/exact_sum.h"

struct crosstalk_side {          /* zero-initialised is empty */
	uint64_t heard;          /* answers with words of an exchange in flight at the same time */
	uint64_t elsewhere;      /* with words of other exchanges only */
	struct exact_sum chance; /* sum over both */
	/* Pairs in which only this answer, or only the other side's, has words of an exchange that
	 * was in flight with this answer. */
	uint64_t only_this, only_other;
	uint64_t control; /* answers of the other side with such words */
	struct exact_losses losses;
	uint64_t greedy_heard;
	struct cause_exchanges exchanges;
};
void crosstalk_side_add(struct crosstalk_side *s, const struct crosstalk_row *row);
/* The probability of so many answers with words of exchanges in flight, if being in flight made no
 * difference; NaN: there is no such answer. */
double crosstalk_side_p(const struct crosstalk_side *s);
/* The probability of so many pairs in which only this answer has such words, if both sides' answers
 * were equally likely to have them: the sign test of McNemar (1947). 1: there is no such pair. */
double crosstalk_side_control_p(const struct crosstalk_side *s);
