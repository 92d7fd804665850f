#include "analyzer/totals.h"

#include <math.h>
#include <stdbool.h>
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

/* The next numbers, where fewer than LANES are left with NaNs behind them; false: none are left. */
static inline bool next(const double *x, size_t n, size_t i, quad *ret)
{
	if (i + LANES <= n) {
		memcpy(ret, x + i, sizeof(*ret));
		return true;
	}
	const quad none = {NAN, NAN, NAN, NAN};
	*ret = none;
	for (size_t k = i; k < n; k++) {
		(*ret)[k - i] = x[k];
	}
	return i < n;
}

/* All in one function: vectors can't be handed from a clone to another function. */
CLONED void find_totals(const double *x, size_t n, struct lanes *ret)
{
	const quad most = {INFINITY, INFINITY, INFINITY, INFINITY};
	struct lanes to = {.least = most, .greatest = -most};
	quad four;
	for (size_t i = 0; next(x, n, i, &four); i += LANES) {
		/* NOLINTNEXTLINE(misc-redundant-expression): not of a NaN */
		marks told = four == four;
		marks less = four < to.least;
		marks more = four > to.greatest;
		quad kept = (quad)((marks)four & told);
		to.n += told;
		to.sum += kept;
		to.squares += kept * kept;
		to.least = (quad)(((marks)four & less) | ((marks)to.least & ~less));
		to.greatest = (quad)(((marks)four & more) | ((marks)to.greatest & ~more));
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

CLONED double sum_all(const double *x, size_t n)
{
	quad sum = {0}, four;
	for (size_t i = 0; next(x, n, i, &four); i += LANES) {
		/* NOLINTNEXTLINE(misc-redundant-expression): not of a NaN */
		sum += (quad)((marks)four & (four == four));
	}
	return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

double totals_sum(const double *x, size_t n)
{
	return sum_all(x, n);
}
