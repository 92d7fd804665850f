#pragma once
/*
 * crossing - prompts crossed with seeds: the part of an error that the choice of seeds brings.
 *
 * Where every prompt is asked once with each of a few seeds, the answers are a table, prompt by
 * seed, and another draw of seeds would have moved a figure as another draw of prompts would.
 * Clusters know the prompts' part alone. The seeds' part is that of the analysis of variance of two
 * crossed random factors (Cornfield and Tukey 1956; Brennan 2001, p x s designs) of the ratio's
 * linearised shares, d = (part - ratio whole) / all wholes, with P prompts and S seeds:
 *
 *	between seeds  S / (S-1), times the sum of squares of the seeds' shares
 *	the rest       P S / ((P-1)(S-1)), times what is left of the cells' sum of squares without
 *	               prompts and seeds
 *
 * The first holds what single answers do by chance; less the rest it is the seeds' own. Cells
 * without an answer count as 0.
 *
 * Where each request has a seed of its own, clusters hold that part already. Then (less than half
 * of the table is filled), and with fewer than CROSSING_LEAST seeds, there is no estimate. Memory
 * is bounded; adding in any order gives the same bits. One thread.
 */
#include "analyzer/stats/clusters.h"
#include "base/check.h"

#define CROSSING_LEAST 5  /* seeds: fewer say too little of others */
#define CROSSING_MOST 256 /* more are not crossed with prompts, but drawn for each */

struct crossing { /* zero-initialised is empty */
	struct clusters *seeds, *cells;
	bool beyond; /* more seeds than that: nothing is kept */
};

struct crossing_cell {
	bool is_kept;
	uint32_t seed, cell;
};

/* Where an answer to that cluster's prompt with that seed is added, until the next call. */
struct crossing_cell crossing_note(struct crossing *x, size_t n_figures,
        const uint8_t cluster[CLUSTERS_KEY_SIZE], int64_t seed);
void crossing_add(
        struct crossing *x, struct crossing_cell at, size_t figure, double part, double whole);
void crossing_finish(struct crossing *x);

struct crossing_part {
	size_t seeds;
	double error; /* standard error that the seeds bring to the ratio */
	double reach; /* half a 95 % interval: Student's t of one seed less, times the error */
};
/* ci: of the value, by prompts alone; becomes that by prompts and seeds. */
void crossing_widen(double value, struct interval *ci, double reach);
/* prompts: the same answers by prompt. False: there is no estimate. */
bool crossing_estimate(const struct crossing *x, const struct clusters *prompts, size_t figure,
        struct crossing_part *ret) MUST_CHECK;
