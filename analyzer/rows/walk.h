#pragma once
/*
 * walk - reads a capture, or a part of it, and gives the rows of its exchanges. For each part, the
 * walk passes over all exchanges, which is cheap, but reads only the answers of the exchanges in
 * that part; then it reads the repeated prompts once more. Rows depend only on the capture and the
 * selection: the number of parts does not change them.
 *
 * Memory is bounded. One thread per capture.
 */
#include <stdbool.h>

#include "analyzer/compare/pair.h"
#include "analyzer/rows/exchange_rows.h"
#include "analyzer/rows/part.h"
#include "analyzer/rows/selection.h"
#include "analyzer/rows/slice.h"

struct advice_place;

struct analysis_options {
	struct pair_wish wish;
	/* Names of the sides if their runs were selected; else NULL. Not together with by. */
	const char *base_label, *test_label;
	struct selection selection;
	enum slice_by by; /* how the legs of one backend are divided */
	struct part part;
	size_t exhibits; /* number of pairs to pick for a report */
	bool progress;   /* standard error shows the progress if it is a terminal */
	/* For the proposed commands; NULL: no commands. */
	const struct advice_place *place;
	const double *least_effects; /* N_LEAST_EFFECTS; NULL: the defaults */
	/* Threads; 0 means 1. The number does not change a bit of the figures. */
	unsigned jobs;
};

/* The number of selected exchanges in all parts. */
uint64_t walk_count(struct capture *c, const struct analysis_options *options);
/*
 * Gives the rows of the part. chosen: from walk_count(). Rows of cross-talk are included only if
 * the part is the whole capture: they need all exchanges in their order. *ret_counts, *ret_repeats:
 * of the part.
 */
void walk_rows(struct capture *c, const struct analysis_options *options, uint64_t chosen,
        const struct row_sink *sink, struct exchange_counts *ret_counts,
        struct repeat_counts *ret_repeats);
/* Gives only the rows of cross-talk, of all parts. */
void walk_crosstalk(
        struct capture *c, const struct analysis_options *options, const struct row_sink *sink);
/* All rows of the part: calls walk_count(), walk_rows() and, for part 1 of several,
 * walk_crosstalk(). */
void walk_part(struct capture *c, const struct analysis_options *options,
        const struct row_sink *sink, struct exchange_counts *ret_counts,
        struct repeat_counts *ret_repeats);
