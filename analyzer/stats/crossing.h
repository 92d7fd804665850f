#pragma once
/*
 * crossing - prompts crossed with seeds: the part of an error that comes from the choice of seeds.
 *
 * If every prompt is asked once with each of a few seeds, the answers form a table, prompt by seed,
 * and other seeds would move a figure as other prompts would. Clusters contain only the prompts'
 * part. The seeds' part is that of the analysis of variance of two crossed random factors
 * (Cornfield and Tukey 1956; Brennan 2001, p x s designs) of the ratio's linearised shares, d =
 * (part - ratio whole) / all wholes, with P prompts and S seeds:
 *
 *	between seeds  S / (S-1), times the sum of squares of the seeds' shares
 *	the rest       P S / ((P-1)(S-1)), times what is left of the cells' sum of squares without
 *	               prompts and seeds
 *
 * The term between seeds contains the chance of single answers; minus the rest it is the seeds' own
 * part. Cells without an answer count as 0.
 *
 * If each request has its own seed, clusters contain the seeds' part already. There is no estimate
 * if less than half of the table is filled, or with fewer than CROSSING_LEAST seeds. Memory is
 * bounded; adding in any order gives the same bits. One thread.
 */
#include "analyzer/stats/clusters.h"
#include "base/check.h"

#define CROSSING_LEAST 5  /* fewest seeds that allow an estimate */
#define CROSSING_MOST 256 /* most seeds; more are taken as drawn for each request */

struct crossing { /* zero-initialised is empty */
	struct clusters *seeds, *cells;
	bool beyond; /* more seeds than CROSSING_MOST: nothing is kept */
};

struct crossing_cell {
	bool is_kept;
	uint32_t seed, cell;
};

/* The cell for an answer to this cluster's prompt with this seed; valid until the next call. */
struct crossing_cell crossing_note(struct crossing *x, size_t n_figures,
        const uint8_t cluster[CLUSTERS_KEY_SIZE], int64_t seed);
void crossing_add(
        struct crossing *x, struct crossing_cell at, size_t figure, double part, double whole);
void crossing_finish(struct crossing *x);

struct crossing_part {
	size_t seeds;
	double error; /* the seeds' part of the ratio's standard error */
	double reach; /* half of a 95 % interval: Student's t with one seed less, times the error */
};
/* Widens ci from the interval over prompts to that over prompts and seeds. */
void crossing_widen(double value, struct interval *ci, double reach);
/* prompts: the same answers by prompt. False: there is no estimate. */
bool crossing_estimate(const struct crossing *x, const struct clusters *prompts, size_t figure,
        struct crossing_part *ret) MUST_CHECK;
