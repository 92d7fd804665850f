#pragma once
/*
 * draws_likelihood - the likelihood of all draws of one group, as a function of the ratio of 1 / temperature to
 * the one that was asked for, of a cut and of a penalty. Logarithms throughout: of the ratio (u) and of the
 * likelihood, which is 0 where everything is as asked. Pure.
 */
#include "analyzer/fold/draws_tests.h"

struct draws_group;

struct draws_likelihood_cell {
	double temperature;
	double offset; /* of u: where lists are after temperature, these fit at another ratio */
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
	/* The lists fit as they stand and not with the temperatures that were asked for; or the reverse. */
	bool lists_after, lists_raw;
};

/* fits: by how much one of two hypotheses about the lists must be the likelier one. */
void draws_likelihood_init(struct draws_likelihood *l, const struct draws_group *g, double fits);
void draws_likelihood_finish(struct draws_likelihood *l);

/* Each gives the maximum and where it is. */
double draws_likelihood_plain(const struct draws_likelihood *l, double *ret_u);
/* With whichever cut is the likeliest, or none; low and high bound u. */
double draws_likelihood_ratio(
        const struct draws_likelihood *l, double low, double high, double *ret_u);
/* Among the few most probable tokens, with whichever penalty is the likeliest. */
double draws_likelihood_head(
        const struct draws_likelihood *l, double low, double high, double *ret_u);
double draws_likelihood_cut(const struct draws_likelihood *l, size_t cut, double *ret_u);
/* Among the few most probable tokens, at any u; low and high bound the shift. */
double draws_likelihood_shift(const struct draws_likelihood *l, enum draws_penalty penalty,
        double low, double high, double *ret_shift);
/* 95 %: where the likelihood at the best u, or the best shift, falls by LIKELIHOOD_DROP. */
struct interval draws_likelihood_shift_interval(
        const struct draws_likelihood *l, enum draws_penalty penalty, double at);
/* cut, penalty: one of these acts. *ret_u: the maximum. */
struct interval draws_likelihood_interval(
        const struct draws_likelihood *l, bool cut, bool penalty, double *ret_u);

uint64_t draws_likelihood_seen(const struct draws_likelihood *l, size_t cut);
/* About how many draws beyond the cut u lets expect. */
double draws_likelihood_expected(const struct draws_likelihood *l, size_t cut, double u);
/* What a cut of that kind and size would show, if draws are as asked. */
double draws_likelihood_usual(const struct draws_likelihood *l, size_t kind, double at);
void draws_likelihood_ranks(const struct draws_likelihood *l, struct draws_calibration *ret);
