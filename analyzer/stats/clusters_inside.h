#pragma once
/*
 * clusters_inside - what the files of clusters share; for them alone.
 */
#include "analyzer/stats/clusters.h"
#include "analyzer/stats/sketch.h"

struct ratio {
	double part, whole;
};

struct clusters {
	size_t n_figures;
	uint32_t n, cap, limit, groups;
	bool folded;        /* rows are groups by hash; keys and slots are gone */
	uint8_t *keys;      /* CLUSTERS_KEY_SIZE each */
	struct ratio *sums; /* row by row, n_figures each */
	uint32_t *slots;    /* open addressing by key: rows with their hashes, or EMPTY */
	size_t n_slots;     /* a power of two */
	struct sketch *met; /* once folded: how many keys there were; else NULL */
};

#define CLUSTERS_ALPHA 0.05

static inline const struct ratio *clusters_sums(
        const struct clusters *c, uint32_t row, size_t figure)
{
	return &c->sums[row * c->n_figures + figure];
}

struct ratio clusters_total_of(const struct clusters *c, size_t figure);
/* How many clusters have a say in the figure. */
size_t clusters_having(const struct clusters *c, size_t figure);
/* What the estimate of one ratio would lose without that cluster. */
double clusters_jackknife(const struct ratio *own, const struct ratio *total);
/* Of a cluster with one answer (or position, where these are counted), told by those of all sizes. */
double clusters_variance_of_one(const struct clusters *c, size_t figure, const struct ratio *total);
/* Value, error, clusters and freedom; the interval is NaN. False: there is nothing to estimate from. */
bool clusters_begin(
        const struct clusters *c, const struct term *terms, size_t n, struct estimate *ret);
