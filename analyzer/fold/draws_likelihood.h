#pragma once
/*
 * draws_likelihood - the likelihood of all draws of one group, as a function of the ratio of 1 /
 * temperature to the requested one, of a cut and of a penalty. Everything is logarithmic: the ratio
 * (u), and the likelihood, which is 0 if everything is as requested. Pure.
 */
#include "analyzer/fold/draws_tests.h"

struct draws_group;

struct draws_likelihood_cell {
	double temperature;
	/* added to u: lists that already include the temperature fit at a different ratio */
	double offset;
	struct draws_counts counts;
	double slope[DRAWS_RATIOS], curvature[DRAWS_RATIOS];
	double head_slope[DRAWS_RATIOS], head_curvature[DRAWS_RATIOS];
	double cut[DRAWS_CUTS][DRAWS_MIDDLE];
	double shift_slope[N_DRAWS_PENALTIES][DRAWS_SHIFT_RATIOS][DRAWS_SHIFTS];
	double shift_curvature[N_DRAWS_PENALTIES][DRAWS_SHIFT_RATIOS][DRAWS_SHIFTS];
	double expected[DRAWS_RANKS], variance[DRAWS_RANKS];
};

struct draws_likelihood {
	struct draws_likelihood_cell *cells;
	size_t n;
	double ratios[DRAWS_RATIOS]; /* log */
	/* How the draws show that the lists were made. lists_after: after the temperature was
	 * applied; lists_raw: before. Both false: the draws do not show it. */
	bool lists_after, lists_raw;
};

/* fits: by how much one hypothesis about the lists must be more likely than the other. */
void draws_likelihood_init(struct draws_likelihood *l, const struct draws_group *g, double fits);
void draws_likelihood_finish(struct draws_likelihood *l);

/* The functions with ret_u or ret_shift return the maximum; *ret_u or *ret_shift is where it
 * lies. */
double draws_likelihood_plain(const struct draws_likelihood *l, double *ret_u);
/* With the most likely cut, or without a cut; low and high are the limits of u. */
double draws_likelihood_ratio(
        const struct draws_likelihood *l, double low, double high, double *ret_u);
/* Among the few most probable tokens, with the most likely penalty. */
double draws_likelihood_head(
        const struct draws_likelihood *l, double low, double high, double *ret_u);
double draws_likelihood_cut(const struct draws_likelihood *l, size_t cut, double *ret_u);
/* Among the few most probable tokens, at any u; low and high limit the shift. */
double draws_likelihood_shift(const struct draws_likelihood *l, enum draws_penalty penalty,
        double low, double high, double *ret_shift);
/* The 95 % interval: where the likelihood at the best u, or the best shift, falls by
 * LIKELIHOOD_DROP. */
struct interval draws_likelihood_shift_interval(
        const struct draws_likelihood *l, enum draws_penalty penalty, double at);
/* The same interval for u. cut, penalty: whether each of these is in effect. *ret_u: where the
 * maximum lies. */
struct interval draws_likelihood_interval(
        const struct draws_likelihood *l, bool cut, bool penalty, double *ret_u);

/* The number of draws that lie beyond the cut. */
uint64_t draws_likelihood_seen(const struct draws_likelihood *l, size_t cut);
/* The approximate number of draws that are expected beyond the cut at u. */
double draws_likelihood_expected(const struct draws_likelihood *l, size_t cut, double u);
/* The number of draws expected beyond a cut of this kind and size if tokens are drawn as
 * requested. */
double draws_likelihood_usual(const struct draws_likelihood *l, size_t kind, double at);
/* Sets the draws and the expected draws of each rank; not state and p. */
void draws_likelihood_ranks(const struct draws_likelihood *l, struct draws_calibration *ret);
