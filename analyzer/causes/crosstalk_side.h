#pragma once
/*
 * crosstalk_side - counts the answers of one side that contain text of other requests. Rows of
 * cross-talk may come in any order.
 */
#include "analyzer/causes/cause.h"
#include "analyzer/rows/rows.h"
#include "analyzer/stats/exact_sum.h"

struct crosstalk_side {     /* zero-initialised: empty */
	uint64_t heard;     /* answers with words of an exchange in flight at the same time */
	uint64_t elsewhere; /* answers with words of other exchanges around only */
	/* Sum over the answers in heard and elsewhere: the share of the exchanges around that
	 * were in flight at the same time. */
	struct exact_sum chance;
	/* control: the other side's answers to the same requests that have words of an exchange
	 * in flight with this side's answer. both: those whose pair is in heard too. */
	uint64_t control, both;
	struct exact_losses losses;
	uint64_t greedy_heard;            /* greedy answers in heard */
	struct cause_exchanges exchanges; /* exchanges of the answers in heard */
};
void crosstalk_side_add(struct crosstalk_side *s, const struct crosstalk_row *row);
/* The probability of at least `heard` answers with words of exchanges in flight, if exchanges in
 * flight were no more likely than other exchanges around. NaN: no answer has words of other
 * exchanges. */
double crosstalk_side_p(const struct crosstalk_side *s);
/* Takes the pairs where only one answer has words of exchanges in flight with this side's
 * answer. Returns the probability that it is this side's so often, if both sides were equally
 * likely: the sign test of McNemar (1947). 1: there is no such pair. */
double crosstalk_side_control_p(const struct crosstalk_side *s);
