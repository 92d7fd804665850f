#pragma once
/*
 * crosstalk - finds answers that contain text of another request (cross-talk), among pairs whose
 * answers differ.
 *
 * The test takes each run of WORD_RUN words of an answer (word_runs.h), unless the answer's own
 * request or the other side's answer has this run, too. It looks for the run in the exchanges
 * around: the requests and both answers of the CROSSTALK_AROUND pairs of the group before this
 * pair, and of as many after it. A run that is in many of these texts is a common phrase and does
 * not count. Repeats of the same request do not count either.
 *
 * Text can leak only from exchanges that were in flight at the same time in the same engine. So
 * there are two controls. One is the exchanges around that were not in flight at that time. The
 * other control looks for runs of the other side's answer in the exchanges that were in flight with
 * this exchange, because requests that run at the same time are often alike.
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
