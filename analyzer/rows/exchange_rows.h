#pragma once
/*
 * exchange_rows - makes the rows of one exchange: chooses the pairs of legs to compare, compares
 * each pair, and measures the noise of engines. One thread per maker.
 */
#include "analyzer/rows/crosstalk.h"
#include "analyzer/rows/draws_rows.h"
#include "analyzer/rows/exchange_reader.h"
#include "analyzer/compare/pair.h"
#include "analyzer/rows/row_sink.h"
#include "analyzer/rows/slice.h"

/* The caller sets the members up to `crosstalk`, and draws.exchanges if it wants DRAWS_ROW; it
 * zero-initialises the others. */
struct row_maker {
	struct capture *capture;
	const struct pair_names *names;
	/* Names of the sides if the user named their runs; else NULL. */
	const char *base_label, *test_label;
	struct slices *slices; /* names of groups */
	/* Only find the decoding and whether answers differ, for callers that need nothing else:
	 * the other figures stay 0, and there are no floor_rows. */
	bool texts_only;
	/* gets the pairs that can show cross-talk; NULL: do not look for it */
	struct crosstalk *crosstalk;
	struct comparison_room room;
	struct stated_defaults stated;
	struct draws_maker draws;
	struct pair *pairs; /* pairs of the current exchange */
	size_t pairs_room;
};
void row_maker_finish(struct row_maker *m);

/* Gives the rows of one exchange to sink. Returns the number of its pairs of legs, floors
 * included. */
size_t exchange_rows(
        struct row_maker *m, const struct capture_exchange *e, const struct row_sink *sink);
/*
 * Like exchange_rows(), for an exchange to which the caller added legs of other exchanges with an
 * equal request. The added legs begin at index `own`. repeats: pairs of an own leg (base) and an
 * added leg (test), which measure floors. All floor_rows have of_repeats set.
 */
void exchange_rows_of_repeats(struct row_maker *m, struct capture_exchange *e, size_t own,
        const struct pair *repeats, size_t n_repeats, const struct row_sink *sink);
