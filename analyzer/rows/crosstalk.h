#pragma once
/*
 * crosstalk - finds answers that contain text of another request (cross-talk), among pairs whose
 * answers differ.
 *
 * Method: it looks for each run of WORD_RUN words of the answer (word_runs.h) in other exchanges of
 * the same group: at most CROSSTALK_AROUND pairs before this pair and as many after it (the request
 * and both answers of each). A run does not count if
 *	- the answer's own request or the other side's answer has it,
 *	- it is in many of these texts (a common phrase), or
 *	- only repeats of this request have it.
 *
 * Text can leak only from exchanges that were in flight at the same time in the same engine. So
 * there are two controls:
 *	1. runs of this answer that are only in exchanges not in flight at that time
 *	2. runs of the other side's answer that are in exchanges in flight at that time, because
 *	   requests that run at the same time are often alike
 *
 * Pairs must come in the order of the capture. Memory is limited: CROSSTALK_TEXT bytes of a text;
 * the first CROSSTALK_GROUPS groups, others are ignored. One thread.
 */
#include "analyzer/rows/row_sink.h"
#include "base/buf.h"

#define CROSSTALK_AROUND 256
#define CROSSTALK_TEXT 4096 /* bytes: the last ones of a request, the first ones of an answer */
#define CROSSTALK_GROUPS 64

struct crosstalk_time {
	uint64_t start_ns, end_ns;
};

struct crosstalk_pair {
	struct id exchange;
	/* names of both sides; they identify the group */
	const char *base_name, *test_name;
	/* when the request was in flight at each side, wall clock */
	struct crosstalk_time base_time, test_time;
	struct span request;    /* the request's body */
	struct span base, test; /* texts of the answers */
	bool differ, greedy;
};

struct crosstalk_window;

struct crosstalk { /* the caller sets the first member and zero-initialises the others */
	/* gets a row for each answer that has a run of another exchange, or whose control (the
	 * other side's answer) has one */
	const struct row_sink *sink;
	struct crosstalk_window *windows; /* one per group */
	size_t n;
};

/* Copies what it needs from *pair. */
void crosstalk_add(struct crosstalk *t, const struct crosstalk_pair *pair);
/* Call after the last pair. Makes the rows of the pairs that waited for later pairs, and frees
 * everything. */
void crosstalk_end(struct crosstalk *t);
