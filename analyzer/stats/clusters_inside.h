#pragma once
/*
 * clusters_inside - shared by the files clusters*.c, and only for these.
 */
#include "analyzer/stats/clusters.h"
#include "analyzer/stats/exact_sum.h"
#include "analyzer/stats/sketch.h"

struct exact_ratio {
	struct exact_sum part, whole;
};

/* A cluster; if grouped, all clusters whose hashes share a prefix. */
struct cluster {
	uint64_t hash; /* hash of the key; if grouped, its prefix followed by zeros */
	uint32_t row;  /* index of its row in `sums` */
};

struct clusters {
	size_t n_figures;
	uint32_t n, cap, limit;
	unsigned prefix;          /* leading bits of the hash that are compared; ungrouped: 64 */
	struct cluster *order;    /* ordered by rising hash */
	struct exact_ratio *sums; /* rows of n_figures items */
	bool *unknown;            /* n_figures items; true: a value that was added is not finite */
	struct sketch *keys;      /* if grouped: counts the keys; else NULL */
};

#define CLUSTERS_ALPHA 0.05

/* The sums of a figure in cluster i, in the order of rising hashes. */
struct ratio clusters_at(const struct clusters *c, uint32_t i, size_t figure);
/* The number of clusters whose whole is above 0. */
size_t clusters_having(const struct clusters *c, size_t figure);
/* By how much a figure's value falls if one cluster is left out. own: the sums of this cluster;
 * total: the sums of all clusters. 0 if nothing else is left. */
double clusters_jackknife(const struct ratio *own, const struct ratio *total);
/* The variance of a cluster with one answer (or one position, if positions are counted),
 * estimated from clusters of all sizes. */
double clusters_variance_of_one(const struct clusters *c, size_t figure, const struct ratio *total);
/* Sets value, clusters, error and freedom of *ret; interval and effective_n become NaN. False:
 * there is no estimate; error and freedom are then NaN too. */
bool clusters_begin(
        const struct clusters *c, const struct term *terms, size_t n, struct estimate *ret);
