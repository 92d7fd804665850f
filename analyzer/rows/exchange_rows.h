#pragma once
/*
 * exchange_rows - makes the rows of one exchange: which of its legs are compared, what each pair
 * shows, and what engines differ from themselves. One thread a maker.
 */
#include "analyzer/rows/crosstalk.h"
#include "analyzer/rows/draws_rows.h"
#include "analyzer/rows/stated_defaults.h"
#include "analyzer/compare/pair.h"
#include "analyzer/rows/row_sink.h"
#include "analyzer/rows/slice.h"

struct row_maker { /* zero-initialised but for the first seven */
	struct capture *capture;
	const struct pair_wish *wish;
	/* What the sides are called where their runs were asked for; else NULL. */
	const char *base_label, *test_label;
	struct slices *slices; /* names of groups */
	/* Of comparisons only the decoding and whether answers differ: for those who look at
	 * texts alone. */
	bool texts_only;
	struct crosstalk *crosstalk; /* that all pairs are told; NULL: none */
	struct comparison_room room;
	struct stated_defaults told;
	struct draws_maker draws;
	struct pair *pairs; /* of the exchange under way; a buffer kept between them */
	size_t pairs_room;
};
void row_maker_finish(struct row_maker *m);

/* Returns the number of pairs that were found. */
size_t exchange_rows(
        struct row_maker *m, const struct capture_exchange *e, const struct row_sink *sink);
/*
 * The exchange with answers to others that were the same request: legs from number own on, and
 * the pairs of them with its own, which are floors. floor_rows say that they are of repeats.
 */
void exchange_rows_of_repeats(struct row_maker *m, struct capture_exchange *e, size_t own,
        const struct pair *repeats, size_t n_repeats, const struct row_sink *sink);
