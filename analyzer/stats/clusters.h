#pragma once
/*
 * clusters - sums by cluster, and intervals for figures whose answers depend on each other within a
 * cluster.
 *
 *	figure    a ratio of two sums over pairs: differing answers over answers, first differences
 *	          over tokens, differences of logprobs over positions. A struct clusters has several
 *	          figures; functions take the index of a figure, from 0
 *	part      the numerator of a figure
 *	whole     the denominator of a figure
 *	estimate  a weighted sum of figures, with its interval; an excess over a floor has the
 *	          weights 1, -1/2, -1/2
 *	rate      a figure whose part counts events: at most one in each unit of the whole
 *
 * Intervals treat clusters, not pairs, as independent: 20 runs of 50 prompts are n = 50.
 *
 * The interval of a mean is Student's: t times the standard error of the delete-one jackknife over
 * clusters (CV3: MacKinnon, Nielsen and Webb 2023). Clusters of unequal size count as fewer equal
 * ones (Satterthwaite 1946). If there are at most CLUSTERS_BOOTSTRAP_LIMIT clusters, and they are
 * not grouped, a bootstrap widens the interval: the result also contains the expanded percentile
 * interval (Hesterberg 2015) of CLUSTERS_RESAMPLES resamples with a fixed seed.
 *
 * Resamples say nothing about rates of rare events. The interval of a rate is mid-P (Lancaster
 * 1961), for the effective number of pairs (Korn and Graubard 1998). A weighted sum of rates
 * combines these intervals (MOVER: Zou and Donner 2008; Newcombe 1998) with the correlation over
 * clusters. tests/truth/intervals counts how often these intervals cover the truth.
 *
 * Memory is limited: if there are more than CLUSTERS_LIMIT clusters, those whose hashed keys have a
 * common prefix become one group. The prefix becomes shorter only when there are too many groups,
 * so the groups depend on the keys alone. The standard error between so many groups is within 1 %
 * of that between the clusters.
 *
 * In all functions with a const struct clusters *, NULL means clusters without data: totals are 0,
 * and there is no estimate.
 *
 * Sums are exact (exact_sum.h), and clusters are drawn by their position in the order of their
 * hashes. So adding and merging in any order and grouping gives the same bits. One thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/stats/stats.h"

/* the most clusters for which intervals are bootstrapped, and the resamples of one bootstrap */
#define CLUSTERS_BOOTSTRAP_LIMIT 2000
#define CLUSTERS_RESAMPLES 1000
/* the usual limit: the most clusters that are kept apart; if there are more, they are grouped */
#define CLUSTERS_LIMIT 16384
#define CLUSTERS_KEY_SIZE 16
#define CLUSTERS_TERMS 8 /* the most terms of one estimate */

struct clusters;
struct exchange_row;

struct ratio {
	double part, whole;
};

/* The key of the exchange's cluster: the hash of the session, else the hash of the prompt, else the
 * exchange's id. Points into *row. */
const uint8_t *clusters_key_of(const struct exchange_row *row);
/* limit: the most clusters that are kept apart, at least 2; clusters_create(): CLUSTERS_LIMIT. */
struct clusters *clusters_create(size_t n_figures);
struct clusters *clusters_create_limited(size_t n_figures, uint32_t limit);
/* Returns *c. If *c is NULL, first sets it to clusters_create(n_figures). */
struct clusters *clusters_of(struct clusters **c, size_t n_figures);
/* A copy with only these n figures, in this order; the caller destroys it. NULL if c is NULL. */
struct clusters *clusters_columns(const struct clusters *c, const size_t *figures, size_t n);
void clusters_destroy(struct clusters *c);
/* Returns the row of the cluster with this key; creates the cluster if necessary. The row is valid
 * until the next clusters_row() or clusters_merge(). clusters_add() adds to one figure of a row. */
uint32_t clusters_row(struct clusters *c, const uint8_t key[CLUSTERS_KEY_SIZE]);
void clusters_add(struct clusters *c, uint32_t row, size_t figure, double part, double whole);
/* Adds all sums of `other` to *c, by key. If *c is NULL, it is created. Else both must have the
 * same number of figures and the same limit. */
void clusters_merge(struct clusters **c, const struct clusters *other);

/* Part and whole of a figure over all clusters; the part is NaN if an added value was not
 * finite. */
struct ratio clusters_total(const struct clusters *c, size_t figure);
/*
 * The sum over clusters of ((part - ratio * whole) / sum of all wholes) squared; 0 if there are no
 * clusters. *ret_n: number of clusters with a whole above 0.
 */
double clusters_squares(const struct clusters *c, size_t figure, size_t *ret_n);
bool clusters_are_grouped(const struct clusters *c);
size_t clusters_count(const struct clusters *c); /* number of clusters; if grouped, of groups */
/* The number of different keys that were added; if grouped, an estimate within 5 %. */
double clusters_number(const struct clusters *c);

struct term {
	size_t figure;
	double weight;
};

struct estimate {
	double value;       /* NaN: a figure has the whole 0 */
	struct interval ci; /* 95 %; NaN with fewer than 2 clusters */
	/* number of clusters whose whole is above 0 in the first term's figure */
	size_t clusters;
	double error;   /* standard error, by the jackknife; NaN: no value, or too few clusters */
	double freedom; /* of `error`, for Student's t, by the first term; NaN if `error` is */
	/* for one rate: the number of independent answers with the same information; else NaN */
	double effective_n;
};

struct terms {
	const struct term *items;
	size_t n;
};
/* Estimates n weighted sums of figures; ret has n items. All use the same resamples. */
void clusters_estimate_all(
        const struct clusters *c, const struct terms *of, size_t n, struct estimate *ret);
/* Estimates each of the first n figures by itself; ret has n items. */
void clusters_estimate_each(const struct clusters *c, size_t n, struct estimate *ret);
/* Estimates by the method for more than CLUSTERS_BOOTSTRAP_LIMIT clusters, whatever their
 * number. */
void clusters_estimate_linear(
        const struct clusters *c, const struct term *terms, size_t n, struct estimate *ret);

/* A rate, or a mean of numbers from 0 to 1. */
struct counted {
	size_t figure;
	/* the figure whose whole is the number of answers; the same as `figure` if each answer
	 * adds 1 to its whole */
	size_t answers;
	bool shares; /* the part sums numbers from 0 to 1, which vary no more than counts do */
	/* the whole counts positions, and one answer may have events at several of them */
	bool several;
};
/*
 * Estimates a rate. The interval is within 0..1, also with 0 events. If `answers` is another figure
 * and `several` is false, an answer has at most one event, and the whole counts the places where
 * the event could be (such as tokens up to the first difference).
 */
void clusters_estimate_counted(
        const struct clusters *c, const struct counted *of, struct estimate *ret);
/* Two common cases, in which each answer adds 1 to the whole: _rate if the part counts answers,
 * _share if it sums numbers from 0 to 1. */
void clusters_estimate_rate(const struct clusters *c, size_t figure, struct estimate *ret);
void clusters_estimate_share(const struct clusters *c, size_t figure, struct estimate *ret);

struct rate_term {
	size_t figure;
	/* as in struct counted */
	size_t answers;
	double weight;
};
/* Estimates a weighted sum of n rates, n at most CLUSTERS_TERMS. Each rate counts as a struct
 * counted whose `shares` and `several` are false. */
void clusters_estimate_rates(
        const struct clusters *c, const struct rate_term *terms, size_t n, struct estimate *ret);
