#pragma once
/*
 * crossing - prompts crossed with seeds: the part of an error that comes from the choice of seeds.
 *
 * If every prompt is asked once with each of a few seeds, the answers form a table of prompts by
 * seeds. Other seeds would then change a figure, just as other prompts would. Intervals over
 * clusters contain only the part of the prompts. The part of the seeds comes from the analysis of
 * variance of two crossed random factors (Cornfield and Tukey 1956; Brennan 2001, p x s designs).
 * With P prompts, S seeds, and the figure's linearised shares d = (part - ratio whole) / all wholes
 * (part and whole: clusters.h; ratio: the figure over all answers):
 *
 *	between seeds  S / (S-1), times the sum of squares of the seeds' shares
 *	the rest       P S / ((P-1)(S-1)), times what is left of the cells' sum of squares without
 *	               prompts and seeds
 *
 * The term between seeds contains the chance of single answers. Minus the rest, it is the part of
 * the seeds alone. Cells without an answer count as 0.
 *
 * There is no estimate if
 *
 *	an answer has no seed;
 *	less than half of the table is filled, as when each request has its own seed: intervals
 *	over clusters then contain the part of the seeds already;
 *	there are fewer than CROSSING_LEAST or more than CROSSING_MOST seeds.
 *
 * Memory is limited; adding in any order gives the same bits. One thread.
 */
#include "analyzer/stats/clusters.h"
#include "base/check.h"

#define CROSSING_LEAST 5  /* fewest seeds that allow an estimate */
#define CROSSING_MOST 256 /* most seeds; with more, each request probably has its own */

struct crossing { /* zero-initialised: empty */
	struct clusters *seeds, *cells;
	bool beyond; /* there are more than CROSSING_MOST seeds: nothing is kept */
};

struct crossing_cell {
	bool is_kept;
	uint32_t seed, cell;
};

/* The cell for an answer to this cluster's prompt with this seed, created if necessary; the next
 * call makes it invalid. is_kept is false if `beyond` is true; crossing_add() then does nothing. */
struct crossing_cell crossing_cell_for(struct crossing *x, size_t n_figures,
        const uint8_t cluster[CLUSTERS_KEY_SIZE], int64_t seed);
void crossing_add(
        struct crossing *x, struct crossing_cell at, size_t figure, double part, double whole);
void crossing_finish(struct crossing *x);

struct crossing_part {
	size_t seeds;
	double error; /* the seeds' part of the ratio's standard error */
	/* half the width of a 95 % interval: `error` times Student's t with seeds - 1 degrees of
	 * freedom */
	double reach;
};
/* Widens ci, an interval over prompts around `value`, to one over prompts and seeds. reach: from
 * struct crossing_part. */
void crossing_widen(double value, struct interval *ci, double reach);
/* prompts: the sums of the same answers by prompt. False: there is no estimate. */
bool crossing_estimate(const struct crossing *x, const struct clusters *prompts, size_t figure,
        struct crossing_part *ret) MUST_CHECK;
