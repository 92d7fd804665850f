#pragma once
/*
 * capture_walk - reads a capture, or a part of it, and gives the rows of its exchanges to a sink.
 * For a part, it iterates over all exchanges, which is cheap, but reads only the answers of the
 * part's exchanges. Then it reads the part's repeated prompts again. Rows depend only on the
 * capture and the selection, not on the number of parts. Memory is limited.
 *
 * All functions begin at the capture's first exchange, and rewind it at the end. One thread for
 * each struct capture.
 */
#include <stdbool.h>

#include "analyzer/compare/pair.h"
#include "analyzer/rows/exchange_rows.h"
#include "analyzer/rows/part.h"
#include "analyzer/rows/selection.h"
#include "analyzer/rows/slice.h"

struct advice_place;

struct analysis_options {
	struct pair_names names;
	/* Names of the sides if the user named their runs; else NULL. Not together with `by`. */
	const char *base_label, *test_label;
	struct selection selection;
	enum slice_by by; /* how the legs of one backend are divided */
	struct part part;
	size_t exhibits; /* the most pairs to pick for a report */
	bool progress;   /* show progress on standard error if it is a terminal */
	/* For the commands that the report proposes; NULL: it proposes none. analysis_run() sets
	 * place->has_no_requests. */
	struct advice_place *place;
	const double *least_effects; /* N_LEAST_EFFECTS items; NULL: the defaults */
	/* number of threads; 0 means 1. The figures do not depend on it */
	unsigned jobs;
};

/* Returns the number of selected exchanges in all parts. *ret_resendable: how many of them have a
 * request without placeholders; if only the legs are in the capture, the exchange counts, too. */
uint64_t capture_walk_count(
        struct capture *c, const struct analysis_options *options, uint64_t *ret_resendable);
/*
 * Gives the rows of options->part to sink. chosen: from capture_walk_count(). Rows of cross-talk
 * need all exchanges in their order, so they are made only if the part is the whole capture. Sets
 * *ret_counts and *ret_repeats to the counts of the part.
 */
void capture_walk_rows(struct capture *c, const struct analysis_options *options, uint64_t chosen,
        const struct row_sink *sink, struct exchange_counts *ret_counts,
        struct repeat_counts *ret_repeats);
/* Gives the rows of cross-talk of the whole capture, and no others, to sink. */
void capture_walk_crosstalk(
        struct capture *c, const struct analysis_options *options, const struct row_sink *sink);
/* Gives all rows of the part to sink: calls capture_walk_count(), capture_walk_rows() and, for part
 * 1 of several, capture_walk_crosstalk(). */
void capture_walk_part(struct capture *c, const struct analysis_options *options,
        const struct row_sink *sink, struct exchange_counts *ret_counts,
        struct repeat_counts *ret_repeats);
