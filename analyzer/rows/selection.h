#pragma once
/*
 * selection - which exchanges of a capture are judged, and by which of their answers. What it leaves out
 * is counted.
 */
#include "base/check.h"
#include "capture/capture.h"
#include "capture/filter.h"

#define SELECTION_KEYS ((1u << N_FILTER_KEYS) - 1)

struct selection {
	uint64_t since_ns; /* wall clock, included; 0: from the first one */
	uint64_t until_ns; /* not included; 0: to the last one */
	struct filters filters;
	const struct id
	        *runs; /* answers of these alone; none: of any. Whoever has set them says so */
	size_t n_runs;
};

struct selection_counts {
	uint64_t before, after; /* exchanges, by their time */
	uint64_t others;        /* exchanges, by the filters */
	uint64_t legs;          /* answers of exchanges that were chosen */
};

bool selection_chooses(const struct selection *s); /* is anything left out? */
/*
 * Whether the exchange is judged; then the answers that are not chosen are taken out of it. A scored leg
 * goes with the answer that it scores.
 */
bool selection_takes(const struct selection *s, struct capture *c, struct capture_exchange *e,
        struct selection_counts *counts);
/* An exchange by its id, as it was chosen; finish it. False: it can't be had, or was not chosen. */
bool selection_find(const struct selection *s, struct capture *c, struct id id,
        struct capture_exchange *ret) MUST_CHECK;
