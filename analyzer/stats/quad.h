#pragma once
/*
 * quad - four numbers as one vector, for sums in four lanes that give the same bits whatever vectors a
 * processor has. Private to the analyzer; for the inside of CLONED functions.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/clones.h"

#define QUAD_LANES 4

typedef double quad __attribute__((vector_size(QUAD_LANES * sizeof(double)), aligned(8)));
/* What comparing two of them gives: -1 where it is so, else 0. */
typedef int64_t quad_marks __attribute__((vector_size(QUAD_LANES * sizeof(int64_t)), aligned(8)));

CLONED_PART void quad_load(const double *x, quad *ret)
{
	memcpy(ret, x, sizeof(*ret));
}

/* The last numbers, fewer than QUAD_LANES, with NaNs behind them. */
CLONED_PART void quad_load_last(const double *x, size_t n, quad *ret)
{
	const quad none = {NAN, NAN, NAN, NAN};
	*ret = none;
	for (size_t k = 0; k < n; k++) {
		(*ret)[k] = x[k];
	}
}

/* Zeros in the place of NaNs. */
CLONED_PART void quad_told(const quad *x, quad *ret)
{
	/* NOLINTNEXTLINE(misc-redundant-expression): not of a NaN */
	*ret = (quad)((quad_marks)*x & (*x == *x));
}

CLONED_PART double quad_sum(const quad *x)
{
	return ((*x)[0] + (*x)[1]) + ((*x)[2] + (*x)[3]);
}
