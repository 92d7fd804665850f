#pragma once
/*
 * clusters - sums by cluster, and intervals that allow for the likeness of answers in a cluster.
 *
 * Every figure is a ratio of two sums over pairs: differing answers over answers, first differences
 * over tokens, differences of logprobs over positions. The sums are kept by cluster (the session,
 * else the prompt's hash), and clusters are resampled: 20 runs of 50 prompts are n = 50.
 *
 *	figure    a column: one ratio
 *	estimate  a weighted sum of ratios (an excess over a floor is 1, -1/2, -1/2) with its interval
 *
 * Up to CLUSTERS_DRAWN clusters the interval of a mean is that of 1,000 bootstrap draws with a
 * fixed seed, widened for few clusters (the expanded percentile interval, Hesterberg 2015). Above,
 * and once clusters are grouped, it is the delete-one jackknife's error over clusters (CV3:
 * MacKinnon, Nielsen and Webb 2023) times Student's t. Clusters count as many as equal ones would
 * (Satterthwaite 1946).
 *
 * Draws say nothing about rates of rare events. A rate has the exact interval, mid-P (Lancaster
 * 1961), on the effective number of pairs (Korn and Graubard 1998); a weighted sum of rates
 * combines these intervals (MOVER: Zou and Donner 2008; Newcombe 1998) with the correlation over
 * clusters. tests/truth/intervals counts how often all of these cover the truth.
 *
 * Memory is bounded: when there are more than CLUSTERS_LIMIT clusters, those whose keys' hashes
 * begin alike are added up as one group. The common prefix only becomes shorter, by no more bits
 * than needed, so that the groups depend on the keys alone. A sum of independent clusters varies as
 * its parts do, and the variance between so many groups estimates the error within 1 %.
 *
 * NULL is no cluster: totals are 0, and there is no estimate.
 *
 * Sums are exact (exact_sum), and clusters are drawn by position in the order of their hashes:
 * adding and merging in any order and grouping gives the same bits. One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/stats/stats.h"

#define CLUSTERS_DRAWN 2000
#define CLUSTERS_LIMIT 16384 /* clusters that are kept apart; groups, of more */
#define CLUSTERS_DRAWS 1000
#define CLUSTERS_KEY_SIZE 16
#define CLUSTERS_TERMS 8 /* of one estimate, at most */

struct clusters;
struct exchange_row;

struct ratio {
	double part, whole;
};

/* The cluster of an exchange: its session, else its prompt, else itself. Points into the row. */
const uint8_t *clusters_key_of(const struct exchange_row *row);
struct clusters *clusters_create(size_t n_figures); /* of CLUSTERS_LIMIT */
struct clusters *clusters_create_limited(size_t n_figures, uint32_t limit);
/* *c, created where it is NULL. */
struct clusters *clusters_of(struct clusters **c, size_t n_figures);
/* A copy of some figures, in that order; NULL of NULL. */
struct clusters *clusters_columns(const struct clusters *c, const size_t *figures, size_t n);
void clusters_destroy(struct clusters *c);
/* The cluster of that key, made if need be; valid for clusters_add() until the next call. */
uint32_t clusters_row(struct clusters *c, const uint8_t key[CLUSTERS_KEY_SIZE]);
void clusters_add(struct clusters *c, uint32_t row, size_t figure, double part, double whole);
/* All of another's, by key; figures must be as many. *c is created if need be. */
void clusters_merge(struct clusters **c, const struct clusters *other);

/* Both sums of a figure over all clusters; the part is NaN if a summand was not finite. */
struct ratio clusters_total(const struct clusters *c, size_t figure);
/*
 * The sum over clusters of the squares of (part - ratio whole) / all wholes. *ret_n: clusters with
 * a whole above 0. 0 where there are none.
 */
double clusters_squares(const struct clusters *c, size_t figure, size_t *ret_n);
bool clusters_are_grouped(const struct clusters *c);
size_t clusters_count(const struct clusters *c); /* groups, once grouped */
/* How many keys there were; once grouped, within 5 %. */
double clusters_number(const struct clusters *c);

struct term {
	size_t figure;
	double weight;
};

struct estimate {
	double value;       /* NaN: a ratio has nothing below it */
	struct interval ci; /* 95 %; NaN with fewer than 2 clusters */
	size_t clusters;    /* that have a say in the first term */
	double error;       /* standard error, by the jackknife; NaN as ci */
	double freedom;     /* degrees of it, for Student's t; NaN as ci */
	double effective_n; /* of one rate: as many independent pairs would tell as much; else NaN */
};

struct terms {
	const struct term *items;
	size_t n;
};
/* Of n weighted sums, ret[n]. */
void clusters_estimate_all(
        const struct clusters *c, const struct terms *of, size_t n, struct estimate *ret);
/* The first n figures, each by itself, ret[n]. */
void clusters_estimate_each(const struct clusters *c, size_t n, struct estimate *ret);
/* By the way that is used above CLUSTERS_DRAWN, whatever their number. */
void clusters_estimate_linear(
        const struct clusters *c, const struct term *terms, size_t n, struct estimate *ret);

/* A figure whose parts are counts out of wholes, or a mean of numbers from 0 to 1. */
struct counted {
	size_t figure;
	size_t answers; /* the figure whose whole counts these: itself, if each answer counts once */
	bool shares;    /* numbers from 0 to 1, which vary by no more than counts do */
	bool several; /* wholes are positions: what happens at one may happen at the answer's others */
};
/*
 * Within 0..1, no narrower than for independent pairs; of use with 0 events, too. Where answers are
 * another figure's and not `several`, parts are events, at most one an answer, and wholes are what
 * they can happen at (tokens before the first difference).
 */
void clusters_estimate_counted(
        const struct clusters *c, const struct counted *of, struct estimate *ret);
/* Of a figure that counts answers, and of a mean over answers of numbers from 0 to 1. */
void clusters_estimate_rate(const struct clusters *c, size_t figure, struct estimate *ret);
void clusters_estimate_share(const struct clusters *c, size_t figure, struct estimate *ret);

struct rate_term {
	size_t figure;
	size_t answers; /* the figure whose whole counts these; the same one, for rates of answers */
	double weight;
};
/* A weighted sum of rates of answers or events. */
void clusters_estimate_rates(
        const struct clusters *c, const struct rate_term *terms, size_t n, struct estimate *ret);
