#pragma once
/*
 * draws_likelihood - the likelihood of all draws of one group, as a function of three things: the
 * ratio of 1 / temperature to the requested one, a cut, and a penalty. All values are logarithms: u
 * is the logarithm of the ratio; a likelihood is the logarithm of its ratio to the likelihood of
 * draws as requested, so it is 0 for these. Pure.
 */
#include "analyzer/fold/draws_tests.h"

struct draws_group;

struct draws_likelihood_cell {
	double temperature;
	/* added to u: if the lists already include the temperature, they fit at another ratio */
	double offset;
	struct draws_counts counts;
	struct draws_sums sums;
};

struct draws_likelihood {
	struct draws_likelihood_cell *cells;
	size_t n;
	double ratios[DRAWS_RATIOS]; /* logarithms of the ratios */
	/* What the draws show about the lists. lists_after: their probabilities are after
	 * temperature. lists_raw: before temperature. Both false: the draws show neither. */
	bool lists_after, lists_raw;
};

/* fits: how much more likely one hypothesis about the lists must be than the other (logarithm). */
void draws_likelihood_init(struct draws_likelihood *l, const struct draws_group *g, double fits);
void draws_likelihood_finish(struct draws_likelihood *l);

/* Functions with ret_u or ret_shift return the maximum of the likelihood; *ret_u or *ret_shift
 * is where it is. draws_likelihood_plain(): without cuts and penalties. */
double draws_likelihood_plain(const struct draws_likelihood *l, double *ret_u);
/* With the most likely cut, or with none; u is between low and high. */
double draws_likelihood_ratio(
        const struct draws_likelihood *l, double low, double high, double *ret_u);
/* Among the few most probable tokens, with the most likely penalty; u is between low and high. */
double draws_likelihood_head(
        const struct draws_likelihood *l, double low, double high, double *ret_u);
double draws_likelihood_cut(const struct draws_likelihood *l, size_t cut, double *ret_u);
/* Among the few most probable tokens, at any u; the shift is between low and high. */
double draws_likelihood_shift(const struct draws_likelihood *l, enum draws_penalty penalty,
        double low, double high, double *ret_shift);
/* The 95 % interval of the shift around its maximum `at`: where the likelihood (at the best u)
 * is at most LIKELIHOOD_DROP lower. */
struct interval draws_likelihood_shift_interval(
        const struct draws_likelihood *l, enum draws_penalty penalty, double at);
/* The 95 % interval of u. cut, penalty: true if there is one. *ret_u: where the maximum is. */
struct interval draws_likelihood_interval(
        const struct draws_likelihood *l, bool cut, bool penalty, double *ret_u);

/* The number of draws that lie beyond the cut. */
uint64_t draws_likelihood_seen(const struct draws_likelihood *l, size_t cut);
/* The approximate number of draws that are expected beyond the cut at u. */
double draws_likelihood_expected(const struct draws_likelihood *l, size_t cut, double u);
/* The number of draws expected beyond a cut of this kind (N_DRAWS_CUT_KINDS) and size `at`, if
 * tokens are drawn as requested. */
double draws_likelihood_usual(const struct draws_likelihood *l, size_t kind, double at);
/* Sets all members of *ret except state and p. */
void draws_likelihood_ranks(const struct draws_likelihood *l, struct draws_calibration *ret);
