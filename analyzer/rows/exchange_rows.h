#pragma once
/*
 * exchange_rows - makes the rows of one exchange: chooses the legs to compare, compares each pair,
 * and measures the noise of engines. One thread per maker.
 */
#include "analyzer/rows/crosstalk.h"
#include "analyzer/rows/draws_rows.h"
#include "analyzer/rows/exchange_reader.h"
#include "analyzer/compare/pair.h"
#include "analyzer/rows/row_sink.h"
#include "analyzer/rows/slice.h"

struct row_maker { /* the caller sets the first seven members and zero-initialises the others */
	struct capture *capture;
	const struct pair_wish *wish;
	/* Names of the sides if the user named their runs; else NULL. */
	const char *base_label, *test_label;
	struct slices *slices; /* names of groups */
	/* Compare only the decoding and whether answers differ, for callers that need nothing
	 * else. */
	bool texts_only;
	struct crosstalk *crosstalk; /* gets all pairs; NULL: do not look for cross-talk */
	struct comparison_room room;
	struct stated_defaults told;
	struct draws_maker draws;
	struct pair *pairs; /* pairs of the current exchange */
	size_t pairs_room;
};
void row_maker_finish(struct row_maker *m);

/* Gives the rows of one exchange to sink. Returns the number of pairs. */
size_t exchange_rows(
        struct row_maker *m, const struct capture_exchange *e, const struct row_sink *sink);
/*
 * Gives the rows of an exchange to which answers to equal requests of other exchanges were added:
 * legs from index `own` on are such answers. Pairs of these with the exchange's own legs are
 * floors, and their floor_rows have of_repeats set.
 */
void exchange_rows_of_repeats(struct row_maker *m, struct capture_exchange *e, size_t own,
        const struct pair *repeats, size_t n_repeats, const struct row_sink *sink);
