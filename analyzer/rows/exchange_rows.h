#pragma once
/*
 * exchange_rows - makes the rows of one exchange: chooses the legs to compare, compares each pair,
 * and measures the noise of engines. One thread per maker.
 */
#include "analyzer/rows/crosstalk.h"
#include "analyzer/rows/draws_rows.h"
#include "analyzer/rows/stated_defaults.h"
#include "analyzer/compare/pair.h"
#include "analyzer/rows/row_sink.h"
#include "analyzer/rows/slice.h"

struct row_maker { /* zero-initialised except the first seven members */
	struct capture *capture;
	const struct pair_wish *wish;
	/* Names of the sides if their runs were selected; else NULL. */
	const char *base_label, *test_label;
	struct slices *slices; /* names of groups */
	/* Compare only the decoding and whether answers differ, for callers that need no more. */
	bool texts_only;
	struct crosstalk *crosstalk; /* receives all pairs; NULL: none */
	struct comparison_room room;
	struct stated_defaults told;
	struct draws_maker draws;
	struct pair *pairs; /* of the current exchange; the buffer is reused */
	size_t pairs_room;
};
void row_maker_finish(struct row_maker *m);

/* Returns the number of pairs. */
size_t exchange_rows(
        struct row_maker *m, const struct capture_exchange *e, const struct row_sink *sink);
/*
 * For an exchange together with answers to equal requests of other exchanges: its legs from `own`
 * on. The pairs of these with its own legs are floors, and their floor_rows have of_repeats set.
 */
void exchange_rows_of_repeats(struct row_maker *m, struct capture_exchange *e, size_t own,
        const struct pair *repeats, size_t n_repeats, const struct row_sink *sink);
