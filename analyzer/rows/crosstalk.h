#pragma once
/*
 * crosstalk - finds answers that contain text of another request. It takes each run of WORD_RUN
 * words that an answer has, but neither its own request nor the other side's answer has, and looks
 * for it in the requests and answers of the exchanges around: those of CROSSTALK_AROUND pairs
 * before and after. Text may have leaked only from exchanges in flight at the same time. There are
 * two controls, since common phrases occur everywhere: the other exchanges around; and the other
 * side's answer to the same request, looked up in the same exchanges, since requests that run at
 * the same time are often alike.
 *
 * This needs the order of the capture: each pair is compared with the CROSSTALK_AROUND pairs of its
 * group before it and after it. Bounded: CROSSTALK_TEXT bytes of a text, CROSSTALK_GROUPS groups.
 * One thread.
 */
#include "analyzer/rows/row_sink.h"
#include "base/buf.h"

#define CROSSTALK_AROUND 256
#define CROSSTALK_TEXT 4096 /* the last bytes of a request, the first ones of an answer */
#define CROSSTALK_GROUPS 64

struct crosstalk_time {
	uint64_t start_ns, end_ns;
};

struct crosstalk_pair {
	struct id exchange;
	const char *base_name, *test_name;          /* names of the group */
	struct crosstalk_time base_time, test_time; /* when each answer was in flight */
	struct span request;                        /* the body */
	struct span base, test;                     /* answers */
	bool differ, greedy;
};

struct crosstalk_window;

struct crosstalk { /* zero-initialised except the first member */
	/* Receives a row for each answer that contains words of other exchanges. */
	const struct row_sink *sink;
	struct crosstalk_window *windows; /* one per group */
	size_t n;
};

void crosstalk_add(struct crosstalk *t, const struct crosstalk_pair *pair);
/* Call after the last pair: judges the pairs that wait for later ones, and frees everything. */
void crosstalk_end(struct crosstalk *t);
