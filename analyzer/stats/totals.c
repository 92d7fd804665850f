#include "analyzer/stats/totals.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/clones.h"

#define LANES 4

typedef double quad __attribute__((vector_size(LANES * sizeof(double)), aligned(8)));
typedef int64_t marks __attribute__((vector_size(LANES * sizeof(int64_t)), aligned(8)));

struct lanes {
	marks n; /* below 0 */
	quad sum, squares, least, greatest;
};

/* The last numbers, fewer than LANES, with NaNs behind them. */
CLONED_PART void load_last(const double *x, size_t n, quad *ret)
{
	const quad none = {NAN, NAN, NAN, NAN};
	*ret = none;
	for (size_t k = 0; k < n; k++) {
		(*ret)[k] = x[k];
	}
}

CLONED_PART void add(struct lanes *to, const quad *four)
{
	/* NOLINTNEXTLINE(misc-redundant-expression): not of a NaN */
	marks told = *four == *four;
	marks less = *four < to->least;
	marks more = *four > to->greatest;
	quad kept = (quad)((marks)*four & told);
	to->n += told;
	to->sum += kept;
	to->squares += kept * kept;
	to->least = (quad)(((marks)*four & less) | ((marks)to->least & ~less));
	to->greatest = (quad)(((marks)*four & more) | ((marks)to->greatest & ~more));
}

CLONED void find_totals(const double *x, size_t n, struct lanes *ret)
{
	const quad most = {INFINITY, INFINITY, INFINITY, INFINITY};
	struct lanes to = {.least = most, .greatest = -most};
	size_t whole = n - n % LANES;
	quad four;
	for (size_t i = 0; i < whole; i += LANES) {
		memcpy(&four, x + i, sizeof(four));
		add(&to, &four);
	}
	if (whole < n) {
		load_last(x + whole, n - whole, &four);
		add(&to, &four);
	}
	*ret = to;
}

void totals_of(const double *x, size_t n, struct totals *ret)
{
	struct lanes l;
	find_totals(x, n, &l);
	*ret = (struct totals){
	        .n = (size_t) - (l.n[0] + l.n[1] + l.n[2] + l.n[3]),
	        .sum = (l.sum[0] + l.sum[1]) + (l.sum[2] + l.sum[3]),
	        .squares = (l.squares[0] + l.squares[1]) + (l.squares[2] + l.squares[3]),
	        .least = INFINITY,
	        .greatest = -INFINITY,
	};
	for (size_t k = 0; k < LANES; k++) {
		ret->least = l.least[k] < ret->least ? l.least[k] : ret->least;
		ret->greatest = l.greatest[k] > ret->greatest ? l.greatest[k] : ret->greatest;
	}
}

CLONED_PART void add_sum(quad *to, const quad *four)
{
	/* NOLINTNEXTLINE(misc-redundant-expression): not of a NaN */
	*to += (quad)((marks)*four & (*four == *four));
}

CLONED double sum_all(const double *x, size_t n)
{
	quad sum = {0}, four;
	size_t whole = n - n % LANES;
	for (size_t i = 0; i < whole; i += LANES) {
		memcpy(&four, x + i, sizeof(four));
		add_sum(&sum, &four);
	}
	if (whole < n) {
		load_last(x + whole, n - whole, &four);
		add_sum(&sum, &four);
	}
	return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

double totals_sum(const double *x, size_t n)
{
	return sum_all(x, n);
}
