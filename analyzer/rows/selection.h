#pragma once
/*
 * selection - selects the exchanges of a capture that are analyzed, and their legs; counts what it
 * leaves out.
 */
#include "base/check.h"
#include "capture/capture.h"
#include "capture/filter.h"

#define SELECTION_KEYS ((1u << N_FILTER_KEYS) - 1)

struct selection {
	uint64_t since_ns; /* wall clock, inclusive; 0: from the first exchange */
	uint64_t until_ns; /* wall clock, exclusive; 0: to the last exchange */
	struct filters filters;
	const struct id *runs; /* only legs of these runs; n_runs 0: of all runs */
	size_t n_runs;
};

struct selection_counts {
	uint64_t before, after; /* exchanges left out by their time */
	uint64_t others;        /* exchanges left out by the filters */
	uint64_t legs;          /* legs left out of selected exchanges */
};

/* True if the selection has a time or a filter; runs do not count. */
bool selection_has_conditions(const struct selection *s);
/*
 * True if the exchange is selected. Then the legs that are not selected have been removed from e; a
 * score is kept or removed together with the answer that it scores. Adds to *counts what was left
 * out.
 */
bool selection_apply(const struct selection *s, struct capture *c, struct capture_exchange *e,
        struct selection_counts *counts);
/* Finds an exchange by its id and applies the selection. True: the caller must call
 * capture_exchange_finish(ret). False: the exchange can't be read, or is not selected. */
bool selection_find(const struct selection *s, struct capture *c, struct id id,
        struct capture_exchange *ret) MUST_CHECK;
