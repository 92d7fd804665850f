#pragma once
/*
 * crosstalk - does an answer say what belongs to another request? Looked for are runs of
 * WORD_RUN words that an answer has and neither its own request nor the other side's answer has,
 * in the requests and answers of the exchanges around it. Exchanges that were under way at the
 * same time may have leaked; the others are the control, for common phrases are in both.
 *
 * This is no property of one exchange: pairs come in the order of the capture, and each is
 * judged against the CROSSTALK_AROUND pairs of its group before it and as many after it.
 * Bounded: of a text CROSSTALK_TEXT bytes count, and CROSSTALK_GROUPS groups. One thread.
 */
#include "analyzer/rows/row_sink.h"
#include "base/buf.h"

#define CROSSTALK_AROUND 256
#define CROSSTALK_TEXT 4096 /* of a request the last bytes, of an answer the first */
#define CROSSTALK_GROUPS 64

struct crosstalk_time {
	uint64_t start_ns, end_ns;
};

struct crosstalk_pair {
	struct id exchange;
	const char *base_name, *test_name;          /* of the group */
	struct crosstalk_time base_time, test_time; /* when each answer was under way */
	struct span request;                        /* the body */
	struct span base, test;                     /* answers */
	bool differ, greedy;
};

struct crosstalk_window;

struct crosstalk { /* zero-initialised but for the first */
	/* Gets a row for each answer that says words of other exchanges. */
	const struct row_sink *sink;
	struct crosstalk_window *windows; /* one a group */
	size_t n;
};

void crosstalk_add(struct crosstalk *t, const struct crosstalk_pair *pair);
/* After the last pair: judges those that wait for pairs after them. Frees all. */
void crosstalk_end(struct crosstalk *t);
