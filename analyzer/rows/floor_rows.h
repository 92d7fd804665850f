#pragma once
/*
 * floor_rows - makes the rows of the noise floors in one exchange.
 *
 * Pairs of two engines with the same two names (base, test) are a group. The group gets one row for
 * each pair of answers that one of its two engines gave (if runs of one engine are compared: that
 * one of its two runs gave). So a pair of one engine may have several rows, one for each group that
 * it belongs to.
 */
#include "analyzer/compare/pair.h"
#include "analyzer/rows/exchange_rows.h"

/* A greedy pair of the exchange, of two engines or (is_floor) of one. */
struct floor_pair {
	struct pair legs;
	const char *base, *test; /* names of the two sides of the pair's group */
	int32_t choice;
	bool is_floor;
	struct pair_facts facts;
	double noise; /* as in struct floor_row */
	uint64_t noise_n;
};

struct floor_pairs { /* the caller sets the members up to of_repeats and zero-initialises others */
	const struct capture_exchange *e;
	const struct pair_names *names;
	uint8_t cluster[ROW_CLUSTER_SIZE];
	/* The pairs of one engine are repeats of a prompt (repeat_floor.h). Then pairs of two
	 * engines have rows, too. */
	bool of_repeats;
	struct floor_pair *items;
	size_t n;
};

void floor_pairs_add(struct floor_pairs *f, const struct floor_pair *pair);
/* Gives the rows to sink. Call it after the last pair was added. */
void floor_rows(const struct floor_pairs *f, const struct row_sink *sink);
void floor_pairs_finish(struct floor_pairs *f);
