#pragma once
/*
 * selection - which exchanges of a capture are analyzed, and which of their answers. It counts what
 * it leaves out.
 */
#include "base/check.h"
#include "capture/capture.h"
#include "capture/filter.h"

#define SELECTION_KEYS ((1u << N_FILTER_KEYS) - 1)

struct selection {
	uint64_t since_ns; /* wall clock, inclusive; 0: from the first exchange */
	uint64_t until_ns; /* wall clock, exclusive; 0: to the last exchange */
	struct filters filters;
	const struct id
	        /* only answers of these runs; n_runs 0: of all runs. Whoever sets the runs
	         * reports them */
	        *runs;
	size_t n_runs;
};

struct selection_counts {
	uint64_t before, after; /* exchanges, by their time */
	uint64_t others;        /* exchanges, by the filters */
	uint64_t legs;          /* answers of exchanges that were chosen */
};

bool selection_chooses(const struct selection *s); /* true if it may leave anything out */
/*
 * Returns whether the exchange is selected; then removes the answers that are not selected. A score
 * is kept or removed together with the answer that it scores.
 */
bool selection_takes(const struct selection *s, struct capture *c, struct capture_exchange *e,
        struct selection_counts *counts);
/* Finds an exchange by its id and applies the selection; finish *ret. False: not readable, or not
 * selected. */
bool selection_find(const struct selection *s, struct capture *c, struct id id,
        struct capture_exchange *ret) MUST_CHECK;
