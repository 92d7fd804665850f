#include "analyzer/stats/totals.h"

#include <math.h>
#include <stdbool.h>

#include "analyzer/stats/quad.h"
#include "base/clones.h"

struct lanes {
	quad_marks n; /* below 0 */
	quad sum, squares, least, greatest;
};

/* extremes: least and greatest too. It is known where this becomes a part of a clone, so that no branch is left of it. */
CLONED_PART void add(struct lanes *to, const quad *four, bool extremes)
{
	/* NOLINTNEXTLINE(misc-redundant-expression): not of a NaN */
	quad_marks told = *four == *four;
	quad kept = (quad)((quad_marks)*four & told);
	to->n += told;
	to->sum += kept;
	to->squares += kept * kept;
	if (extremes) {
		quad_marks less = *four < to->least;
		quad_marks more = *four > to->greatest;
		to->least = (quad)(((quad_marks)*four & less) | ((quad_marks)to->least & ~less));
		to->greatest =
		        (quad)(((quad_marks)*four & more) | ((quad_marks)to->greatest & ~more));
	}
}

CLONED_PART void add_all(const double *x, size_t n, bool extremes, struct lanes *to)
{
	size_t whole = n - n % QUAD_LANES;
	quad four;
	for (size_t i = 0; i < whole; i += QUAD_LANES) {
		quad_load(x + i, &four);
		add(to, &four, extremes);
	}
	if (whole < n) {
		quad_load_last(x + whole, n - whole, &four);
		add(to, &four, extremes);
	}
}

CLONED void find_totals(const double *x, size_t n, struct lanes *ret)
{
	const quad most = {INFINITY, INFINITY, INFINITY, INFINITY};
	struct lanes to = {.least = most, .greatest = -most};
	add_all(x, n, true, &to);
	*ret = to;
}

CLONED void find_moments(const double *x, size_t n, struct lanes *ret)
{
	struct lanes to = {0};
	add_all(x, n, false, &to);
	*ret = to;
}

static size_t count(const struct lanes *l)
{
	return (size_t) - (l->n[0] + l->n[1] + l->n[2] + l->n[3]);
}

void totals_moments(const double *x, size_t n, struct totals *ret)
{
	struct lanes l;
	find_moments(x, n, &l);
	*ret = (struct totals){
	        .n = count(&l), .sum = quad_sum(&l.sum), .squares = quad_sum(&l.squares)};
}

void totals_of(const double *x, size_t n, struct totals *ret)
{
	struct lanes l;
	find_totals(x, n, &l);
	*ret = (struct totals){
	        .n = count(&l),
	        .sum = quad_sum(&l.sum),
	        .squares = quad_sum(&l.squares),
	        .least = INFINITY,
	        .greatest = -INFINITY,
	};
	for (size_t k = 0; k < QUAD_LANES; k++) {
		ret->least = l.least[k] < ret->least ? l.least[k] : ret->least;
		ret->greatest = l.greatest[k] > ret->greatest ? l.greatest[k] : ret->greatest;
	}
}

CLONED_PART void add_sum(quad *to, const quad *four)
{
	quad told;
	quad_told(four, &told);
	*to += told;
}

CLONED double sum_all(const double *x, size_t n)
{
	quad sum = {0}, four;
	size_t whole = n - n % QUAD_LANES;
	for (size_t i = 0; i < whole; i += QUAD_LANES) {
		quad_load(x + i, &four);
		add_sum(&sum, &four);
	}
	if (whole < n) {
		quad_load_last(x + whole, n - whole, &four);
		add_sum(&sum, &four);
	}
	return quad_sum(&sum);
}

double totals_sum(const double *x, size_t n)
{
	return sum_all(x, n);
}

/* Each addition waits for the one before it, but not for those of other columns. */
CLONED void sum_columns(const double *const *x, size_t n, double *restrict ret)
{
	quad sums[TOTALS_AT_ONCE] = {0}, four;
	size_t whole = n - n % QUAD_LANES;
	for (size_t i = 0; i < whole; i += QUAD_LANES) {
		for (size_t k = 0; k < TOTALS_AT_ONCE; k++) {
			quad_load(x[k] + i, &four);
			add_sum(&sums[k], &four);
		}
	}
	for (size_t k = 0; k < TOTALS_AT_ONCE; k++) {
		quad_load_last(x[k] + whole, n - whole, &four);
		add_sum(&sums[k], &four);
		ret[k] = quad_sum(&sums[k]);
	}
}

void totals_sums(const double *const *x, size_t n, double *ret)
{
	sum_columns(x, n, ret);
}

CLONED size_t count_above(const double *x, size_t n, double limit)
{
	size_t above = 0;
	for (size_t i = 0; i < n; i++) {
		above += x[i] > limit;
	}
	return above;
}

size_t totals_above(const double *x, size_t n, double limit)
{
	return count_above(x, n, limit);
}
