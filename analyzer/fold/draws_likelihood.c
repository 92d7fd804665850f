#include "analyzer/fold/draws_likelihood.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/fold/draws.h"
#include "analyzer/stats/likelihood.h"
#include "base/mem.h"

#define STEPS 96 /* values of u that are tried before the maximum is refined between two of them */

static void read_cell(const struct draws_cell *c, struct draws_likelihood_cell *ret)
{
	*ret = (struct draws_likelihood_cell){.temperature = c->temperature};
	double *sums = (double *)(void *)&ret->sums;
	memcpy(&ret->counts, c->counts, sizeof(ret->counts));
	for (size_t i = 0; i < DRAWS_SUMS; i++) {
		sums[i] = exact_sum_value(&c->sums[i]);
	}
}

/* The log likelihood without a cut, of all draws or (head) only of those among the few most
 * probable tokens. */
static double unfiltered(const struct draws_likelihood *l, bool head, double u)
{
	double sum = 0;
	for (size_t k = 0; k < l->n; k++) {
		const struct draws_likelihood_cell *c = &l->cells[k];
		const struct likelihood of = {DRAWS_RATIOS, l->ratios,
		        head ? c->sums.head_slope : c->sums.slope,
		        head ? c->sums.head_curvature : c->sums.curvature};
		sum += likelihood_gain(&of, 0, u + c->offset);
	}
	return sum;
}

double draws_likelihood_expected(const struct draws_likelihood *l, size_t cut, double u)
{
	double sum = 0;
	for (size_t k = 0; k < l->n; k++) {
		const struct draws_likelihood_cell *c = &l->cells[k];
		sum += fmax(0, likelihood_between(l->ratios + DRAWS_MIDDLE_FROM, c->sums.cut[cut],
		                       DRAWS_MIDDLE, u + c->offset));
	}
	return sum;
}

uint64_t draws_likelihood_seen(const struct draws_likelihood *l, size_t cut)
{
	uint64_t n = 0;
	for (size_t k = 0; k < l->n; k++) {
		n += l->cells[k].counts.cut_seen[cut];
	}
	return n;
}

static double with_likeliest_cut(const struct draws_likelihood *l, double u)
{
	double most = 0;
	for (size_t c = 0; c < DRAWS_CUTS; c++) {
		if (draws_likelihood_seen(l, c) == 0) {
			most = fmax(most, draws_likelihood_expected(l, c, u));
		}
	}
	return unfiltered(l, false, u) + most;
}

static double shifted(
        const struct draws_likelihood *l, enum draws_penalty p, double u, double shift)
{
	double sum = 0, ratios[DRAWS_SHIFT_RATIOS];
	for (size_t m = 0; m < DRAWS_SHIFT_RATIOS; m++) {
		ratios[m] = l->ratios[DRAWS_SHIFT_RATIO(m)];
	}
	for (size_t k = 0; k < l->n; k++) {
		const struct draws_likelihood_cell *c = &l->cells[k];
		double gains[DRAWS_SHIFT_RATIOS];
		for (size_t m = 0; m < DRAWS_SHIFT_RATIOS; m++) {
			const struct likelihood of = {DRAWS_SHIFTS, DRAWS_SHIFT,
			        c->sums.shift_slope[p][m], c->sums.shift_curvature[p][m]};
			gains[m] = likelihood_gain(&of, 0, shift);
		}
		sum += likelihood_between(ratios, gains, DRAWS_SHIFT_RATIOS, u + c->offset);
	}
	return sum;
}

/* One of the functions above as a function of one argument; the other arguments are fixed. */
struct function {
	const struct draws_likelihood *l;
	enum { PLAIN, ANY_CUT, ONE_CUT, HEAD, RATIO_OF_SHIFT, SHIFT, SHIFT_OF_RATIO } of;
	size_t cut;
	enum draws_penalty penalty;
	double fixed;
};

static double value(const struct function *f, double x);

/* The maximum between low and high: takes the best of some equal steps and refines it by a
 * golden-section search. */
static double maximum(const struct function *f, double low, double high, size_t steps, double *ret)
{
	const double golden = (sqrt(5) - 1) / 2;
	double step = (high - low) / (double)steps, at = low, most = value(f, low);
	for (size_t i = 1; i <= steps; i++) {
		double x = low + step * (double)i, y = value(f, x);
		at = y > most ? x : at;
		most = fmax(y, most);
	}
	double a = fmax(low, at - step), b = fmin(high, at + step);
	for (size_t i = 0; i < 24; i++) {
		double c = b - golden * (b - a), d = a + golden * (b - a);
		bool left = value(f, c) > value(f, d);
		b = left ? d : b;
		a = left ? a : c;
	}
	*ret = (a + b) / 2;
	return fmax(value(f, *ret), most);
}

static double lowest(const struct draws_likelihood *l)
{
	return l->ratios[0];
}

static double highest(const struct draws_likelihood *l)
{
	return l->ratios[DRAWS_RATIOS - 1];
}

/* The range of u for which the rows have sums of shifts. */
static struct interval range_of_shifts(const struct draws_likelihood *l)
{
	return (struct interval){
	        l->ratios[DRAWS_MIDDLE_FROM], l->ratios[DRAWS_MIDDLE_FROM + DRAWS_MIDDLE - 1]};
}

/* The best value for this shift, over the values of u for which shifts were computed. */
static double best_shifted(const struct draws_likelihood *l, enum draws_penalty p, double shift)
{
	const struct function f = {.l = l, .of = RATIO_OF_SHIFT, .penalty = p, .fixed = shift};
	struct interval range = range_of_shifts(l);
	double at;
	return maximum(&f, range.low, range.high, 8, &at);
}

static double best_head(const struct draws_likelihood *l, double u)
{
	double most = -INFINITY;
	for (size_t p = 0; p < N_DRAWS_PENALTIES; p++) {
		const struct function f = {
		        .l = l, .of = SHIFT_OF_RATIO, .penalty = (enum draws_penalty)p, .fixed = u};
		double at;
		most = fmax(
		        most, maximum(&f, DRAWS_SHIFT[0], DRAWS_SHIFT[DRAWS_SHIFTS - 1], 5, &at));
	}
	return unfiltered(l, true, u) + most;
}

static double value(const struct function *f, double x)
{
	switch (f->of) {
	case PLAIN:
		return unfiltered(f->l, false, x);
	case ANY_CUT:
		return with_likeliest_cut(f->l, x);
	case ONE_CUT:
		return unfiltered(f->l, false, x) + draws_likelihood_expected(f->l, f->cut, x);
	case HEAD:
		return best_head(f->l, x);
	case RATIO_OF_SHIFT:
		return unfiltered(f->l, true, x) + shifted(f->l, f->penalty, x, f->fixed);
	case SHIFT:
		return best_shifted(f->l, f->penalty, x);
	default:
		return shifted(f->l, f->penalty, f->fixed, x);
	}
}

double draws_likelihood_plain(const struct draws_likelihood *l, double *ret_u)
{
	const struct function f = {.l = l, .of = PLAIN};
	return maximum(&f, lowest(l), highest(l), STEPS, ret_u);
}

double draws_likelihood_ratio(
        const struct draws_likelihood *l, double low, double high, double *ret_u)
{
	const struct function f = {.l = l, .of = ANY_CUT};
	return maximum(&f, fmax(low, lowest(l)), fmin(high, highest(l)), STEPS, ret_u);
}

double draws_likelihood_head(
        const struct draws_likelihood *l, double low, double high, double *ret_u)
{
	const struct function f = {.l = l, .of = HEAD};
	double from = l->ratios[DRAWS_MIDDLE_FROM];
	return maximum(&f, fmax(low, from), fmin(high, -from), 12, ret_u);
}

double draws_likelihood_cut(const struct draws_likelihood *l, size_t cut, double *ret_u)
{
	const struct function f = {.l = l, .of = ONE_CUT, .cut = cut};
	return maximum(&f, lowest(l), highest(l), STEPS, ret_u);
}

bool draws_likelihood_can_show_shift(const struct draws_likelihood *l)
{
	struct interval range = range_of_shifts(l);
	double at;
	draws_likelihood_ratio(l, -INFINITY, INFINITY, &at);
	return at >= range.low && at <= range.high;
}

double draws_likelihood_shift(const struct draws_likelihood *l, enum draws_penalty penalty,
        double low, double high, double *ret_shift)
{
	const struct function f = {.l = l, .of = SHIFT, .penalty = penalty};
	return maximum(&f, fmax(low, DRAWS_SHIFT[0]), fmin(high, DRAWS_SHIFT[DRAWS_SHIFTS - 1]), 10,
	        ret_shift);
}

/* Returns where, between `at` (the maximum) and `end`, the function has fallen by
 * LIKELIHOOD_DROP; `end` if it does not fall as far. */
static double edge(const struct function *f, double at, double end)
{
	double least = value(f, at) - LIKELIHOOD_DROP, inside = at, outside = end;
	if (value(f, end) >= least) {
		return end;
	}
	for (size_t i = 0; i < 30; i++) {
		double middle = (inside + outside) / 2;
		if (value(f, middle) >= least) {
			inside = middle;
		} else {
			outside = middle;
		}
	}
	return inside;
}

struct interval draws_likelihood_shift_interval(
        const struct draws_likelihood *l, enum draws_penalty penalty, double at)
{
	const struct function f = {.l = l, .of = SHIFT, .penalty = penalty};
	return (struct interval){
	        edge(&f, at, DRAWS_SHIFT[0]), edge(&f, at, DRAWS_SHIFT[DRAWS_SHIFTS - 1])};
}

static size_t likeliest_cut(const struct draws_likelihood *l)
{
	double most = 0;
	size_t best = 0;
	for (size_t c = 0; c < DRAWS_CUTS; c++) {
		double at, y = draws_likelihood_seen(l, c) ? -INFINITY
		                                           : draws_likelihood_cut(l, c, &at);
		best = y > most ? c : best;
		most = fmax(y, most);
	}
	return best;
}

struct interval draws_likelihood_interval(
        const struct draws_likelihood *l, bool cut, bool penalty, double *ret_u)
{
	struct function f = {.l = l, .of = PLAIN};
	double low = lowest(l);
	if (penalty) {
		f.of = HEAD;
		low = l->ratios[DRAWS_MIDDLE_FROM];
	} else if (cut) {
		f.of = ONE_CUT;
		f.cut = likeliest_cut(l);
	}
	(void)maximum(&f, low, -low, f.of == HEAD ? 12 : STEPS, ret_u);
	return (struct interval){edge(&f, *ret_u, low), edge(&f, *ret_u, -low)};
}

double draws_likelihood_usual(const struct draws_likelihood *l, size_t kind, double at)
{
	static const enum draws_family FAMILY[] = {DRAWS_TOP_K, DRAWS_TOP_P, DRAWS_MIN_P};
	for (size_t c = 0; c < DRAWS_CUTS; c++) {
		if (DRAWS_CUT[c].family == FAMILY[kind] && DRAWS_CUT[c].at == at) {
			return draws_likelihood_expected(l, c, 0);
		}
	}
	return 0;
}

void draws_likelihood_ranks(
        const struct draws_likelihood *l, bool raw_lists, struct draws_calibration *ret)
{
	*ret = (struct draws_calibration){0};
	for (size_t k = 0; k < l->n; k++) {
		const struct draws_likelihood_cell *c = &l->cells[k];
		bool counts = c->offset == 0 && (raw_lists || c->temperature == 1);
		for (size_t i = 0; counts && i < DRAWS_RANKS; i++) {
			ret->seen[i] += c->counts.chosen[i];
			ret->expected[i] += c->sums.expected[i];
			ret->sd[i] += c->sums.variance[i];
		}
	}
	for (size_t i = 0; i < DRAWS_RANKS; i++) {
		ret->sd[i] = sqrt(ret->sd[i]);
	}
}

void draws_likelihood_assume(struct draws_likelihood *l, bool lists_after)
{
	for (size_t k = 0; k < l->n; k++) {
		l->cells[k].offset = lists_after ? log(l->cells[k].temperature) : 0;
	}
}

/* The maximum near the ratio 1. */
static double fit(const struct draws_likelihood *l)
{
	const struct function f = {.l = l, .of = PLAIN};
	double at, near = log1p(DRAWS_RATIO_KNOWN);
	return maximum(&f, -near, near, 8, &at);
}

void draws_likelihood_init(struct draws_likelihood *l, const struct draws_group *g, double fits)
{
	double raw, after, at;
	*l = (struct draws_likelihood){
	        .cells = xcalloc(g->n_cells + 1, sizeof(*l->cells)), .n = g->n_cells};
	for (size_t i = 0; i < DRAWS_RATIOS; i++) {
		l->ratios[i] = draws_log_ratio(i);
	}
	for (size_t k = 0; k < g->n_cells; k++) {
		read_cell(&g->cells[k], &l->cells[k]);
	}
	raw = fit(l);
	draws_likelihood_assume(l, true);
	after = fit(l);
	(void)draws_likelihood_plain(l, &at);
	l->lists_after = after - raw > fits && fabs(at) < log1p(DRAWS_RATIO_KNOWN);
	draws_likelihood_assume(l, l->lists_after);
	l->lists_raw = raw - after > fits;
}

void draws_likelihood_finish(struct draws_likelihood *l)
{
	free(l->cells);
}
