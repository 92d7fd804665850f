#pragma once
/*
 * floor_rows - what engines differ from themselves, as far as one exchange shows it: for each pair of answers
 * of two engines, the pairs of answers of one of them.
 */
#include "analyzer/compare/pair.h"
#include "analyzer/rows/exchange_rows.h"

/* A greedy pair of the exchange. */
struct floor_pair {
	struct pair legs;
	const char *base, *test; /* names of its group */
	int32_t choice;
	bool is_floor;
	struct pair_facts facts;
	double noise; /* as in struct floor_row */
	uint64_t noise_n;
};

struct floor_pairs {
	const struct capture_exchange *e;
	const struct pair_wish *wish;
	uint8_t cluster[ROW_CLUSTER_SIZE];
	bool of_repeats; /* then the pairs of two engines have rows too */
	struct floor_pair *items;
	size_t n;
};

void floor_pairs_add(struct floor_pairs *f, const struct floor_pair *pair);
/* A floor counts once for a group. */
void floor_rows(const struct floor_pairs *f, const struct row_sink *sink);
void floor_pairs_finish(struct floor_pairs *f);
