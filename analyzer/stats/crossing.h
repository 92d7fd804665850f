#pragma once
/*
 * crossing - prompts crossed with seeds: the part of an error that comes from the choice of seeds.
 *
 * If every prompt is sent once with each of a few seeds, the answers form a table of prompts by
 * seeds. Other seeds would change a figure, just as other prompts would, but intervals over
 * clusters cover only the choice of prompts. The variance from the choice of seeds is estimated by
 * the analysis of variance with two crossed random factors (Cornfield and Tukey 1956; Brennan 2001,
 * p x s designs). Let P and S be the numbers of prompts and seeds, and d = (part - ratio whole) /
 * (sum of all wholes), where `ratio` is the figure over all answers (part, whole: clusters.h). d is
 * computed for each seed, each prompt and each cell of the table; an empty cell has 0. Then
 *
 *	between  S / (S-1) times the sum of the seeds' d^2
 *	rest     P S / ((P-1)(S-1)) times (sum of the cells' d^2 - (sum of the prompts' d^2) / S
 *	         - (sum of the seeds' d^2) / P)
 *	error    sqrt(between - rest), at least 0
 *
 * There is no estimate if
 *
 *	an answer has no seed, so the caller added it to `prompts` only;
 *	less than half of the table is filled, as when each request has its own seed: intervals
 *	over clusters then contain the part of the seeds already;
 *	there are fewer than two prompts, fewer than CROSSING_LEAST seeds or more than
 *	CROSSING_MOST.
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
	bool is_kept;        /* false if `beyond` is set: crossing_add() then does nothing */
	uint32_t seed, cell; /* rows of clusters_row() */
};

/* The cell for an answer to this cluster's prompt with this seed, created if necessary. It is valid
 * until the next call. n_figures must be the same in all calls. */
struct crossing_cell crossing_cell_for(struct crossing *x, size_t n_figures,
        const uint8_t cluster[CLUSTERS_KEY_SIZE], int64_t seed);
void crossing_add(
        struct crossing *x, struct crossing_cell at, size_t figure, double part, double whole);
void crossing_finish(struct crossing *x);

struct crossing_part {
	size_t seeds;
	double error; /* standard error of the figure from the choice of seeds */
	/* half the width of a 95 % interval: `error` times Student's t with seeds - 1 degrees of
	 * freedom */
	double reach;
};
/* Widens ci, an interval over prompts around `value`, to one over prompts and seeds. reach: see
 * struct crossing_part. */
void crossing_widen(double value, struct interval *ci, double reach);
/* prompts: the sums of the same answers by prompt. False: no estimate; *ret is unchanged. */
bool crossing_estimate(const struct crossing *x, const struct clusters *prompts, size_t figure,
        struct crossing_part *ret) MUST_CHECK;
