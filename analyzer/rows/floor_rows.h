#pragma once
/*
 * floor_rows - measures the noise of the engines in one exchange: for each group of two engines,
 * the pairs of answers of one of the two engines.
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

struct floor_pairs {
	const struct capture_exchange *e;
	const struct pair_names *names;
	uint8_t cluster[ROW_CLUSTER_SIZE];
	/* the answers are to a repeated prompt; then pairs of two engines have rows, too */
	bool of_repeats;
	struct floor_pair *items;
	size_t n;
};

void floor_pairs_add(struct floor_pairs *f, const struct floor_pair *pair);
/* Gives the rows to sink, after the last pair was added. Each pair of answers of one engine
 * counts once for each group. */
void floor_rows(const struct floor_pairs *f, const struct row_sink *sink);
void floor_pairs_finish(struct floor_pairs *f);
