#pragma once
/*
 * draws_likelihood - the likelihood of all draws of one group, as a function of three parameters of
 * the sampling:
 *
 *	u        logarithm of the ratio of 1 / temperature to the requested 1 / temperature
 *	cut      see DRAWS_CUT in rows/draws_row.h; by its index
 *	penalty  its kind, and its size (the shift, nats)
 *
 * "Likelihood" means log(L / L0), where L0 is the likelihood of draws as requested. So draws as
 * requested have the value 0. Each function tries only the range for which the rows have sums.
 * Pure.
 */
#include "analyzer/fold/draws_tests.h"

struct draws_group;

struct draws_likelihood_cell {
	double temperature;
	/* added to u: 0, or if lists_after the logarithm of the temperature */
	double offset;
	struct draws_counts counts;
	struct draws_sums sums;
};

struct draws_likelihood {
	struct draws_likelihood_cell *cells;
	size_t n;
	double ratios[DRAWS_RATIOS]; /* logarithms of the ratios */
	/* What the draws show about the probabilities in the lists. lists_after: they are after
	 * temperature; lists_raw: they are before it. Both false: the draws show neither. */
	bool lists_after, lists_raw;
};

/* Sums up the group's draws, and decides lists_after and lists_raw: one of them is true only if its
 * likelihood is more than `fits` nats above that of the other. Call draws_likelihood_finish() at
 * the end. */
void draws_likelihood_init(struct draws_likelihood *l, const struct draws_group *g, double fits);
void draws_likelihood_finish(struct draws_likelihood *l);

/* Sets what the functions below assume: that the lists are after temperature (true), or before it
 * (false). draws_likelihood_init() sets it to l->lists_after. */
void draws_likelihood_assume(struct draws_likelihood *l, bool lists_after);

/* Each function with ret_u or ret_shift returns the maximum of the likelihood, and sets *ret_u or
 * *ret_shift to its place. */

/* Over all u, without cut and penalty. */
double draws_likelihood_plain(const struct draws_likelihood *l, double *ret_u);
/* Over u from low to high, without a cut, or with the most likely of the cuts beyond which no draw
 * lies. */
double draws_likelihood_ratio(
        const struct draws_likelihood *l, double low, double high, double *ret_u);
/* Over u from low to high, with the most likely penalty. Only draws among the few most probable
 * tokens count. */
double draws_likelihood_head(
        const struct draws_likelihood *l, double low, double high, double *ret_u);
/* Over all u, with this cut. No draw may be beyond it. */
double draws_likelihood_cut(const struct draws_likelihood *l, size_t cut, double *ret_u);
/* True if the most likely u is in the range for which the rows have sums of shifts. If false, what
 * looks like a shift is due to the temperature, for example of an engine that never samples. */
bool draws_likelihood_can_show_shift(const struct draws_likelihood *l);
/* Over shifts from low to high, each with its best u. Only draws among the few most probable
 * tokens count. */
double draws_likelihood_shift(const struct draws_likelihood *l, enum draws_penalty penalty,
        double low, double high, double *ret_shift);
/* The 95 % interval of the shift: where the likelihood, with the best u, is at most
 * LIKELIHOOD_DROP lower than at `at`. at: the *ret_shift of draws_likelihood_shift(). */
struct interval draws_likelihood_shift_interval(
        const struct draws_likelihood *l, enum draws_penalty penalty, double at);
/* The 95 % interval of u. *ret_u: where the maximum is. penalty: with the most likely penalty,
 * as draws_likelihood_head(). Else, if cut: with the most likely cut. Else: with neither. */
struct interval draws_likelihood_interval(
        const struct draws_likelihood *l, bool cut, bool penalty, double *ret_u);

/* The number of draws beyond the cut. */
uint64_t draws_likelihood_seen(const struct draws_likelihood *l, size_t cut);
/* About the number of draws that are expected beyond the cut at u, if there is no cut. */
double draws_likelihood_expected(const struct draws_likelihood *l, size_t cut, double u);
/* The same for draws as requested. kind: below DRAWS_CUT_KINDS; at: a size in DRAWS_CUT (0 for
 * another size). */
double draws_likelihood_usual(const struct draws_likelihood *l, size_t kind, double at);
/* Sets seen, expected and sd of *ret. Only cells count whose lists are the requested
 * distribution: those of temperature 1, and if raw_lists all with offset 0. */
void draws_likelihood_ranks(
        const struct draws_likelihood *l, bool raw_lists, struct draws_calibration *ret);
