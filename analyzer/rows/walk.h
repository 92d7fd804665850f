#pragma once
/*
 * walk - reads a capture, or a part of it, and gives the rows of its exchanges. Each part goes
 * over all exchanges, which is cheap, and reads the answers of its own; then it reads those
 * prompts once more that came several times. Rows depend on nothing but the capture and what is
 * chosen of it: any number of parts gives the same ones.
 *
 * Memory is bounded. One thread a capture.
 */
#include <stdio.h>

#include "analyzer/compare/pair.h"
#include "analyzer/rows/exchange_rows.h"
#include "analyzer/rows/part.h"
#include "analyzer/rows/selection.h"
#include "analyzer/rows/slice.h"

struct advice_place;

struct analysis_options {
	struct pair_wish wish;
	/* What the sides are called where their runs were asked for; else NULL. Not with by. */
	const char *base_label, *test_label;
	struct selection selection;
	enum slice_by by; /* how legs of one backend are told apart */
	struct part part;
	size_t exhibits; /* pairs of answers to pick out for a report */
	FILE *progress;  /* a terminal, or NULL */
	/* For the commands that are proposed; NULL: none are. */
	const struct advice_place *place;
	const double *least_effects; /* N_LEAST_EFFECTS; NULL: the usual ones */
	/* Threads; 0 is 1. The figures are the same, bit for bit. */
	unsigned jobs;
};

/* How many exchanges are chosen, of all parts. */
uint64_t walk_count(struct capture *c, const struct analysis_options *options);
/*
 * The rows of the part. chosen: as walk_count() has it. Rows of cross-talk are among them where
 * the part is the whole capture: they need all exchanges in their order. *ret_counts,
 * *ret_repeats: of the part.
 */
void walk_rows(struct capture *c, const struct analysis_options *options, uint64_t chosen,
        const struct row_sink *sink, struct exchange_counts *ret_counts,
        struct repeat_counts *ret_repeats);
/* Only the rows of cross-talk, of all parts. */
void walk_crosstalk(
        struct capture *c, const struct analysis_options *options, const struct row_sink *sink);
/* All three: part 1 of several has the rows of cross-talk of all parts. */
void walk_part(struct capture *c, const struct analysis_options *options,
        const struct row_sink *sink, struct exchange_counts *ret_counts,
        struct repeat_counts *ret_repeats);
