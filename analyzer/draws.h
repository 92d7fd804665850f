#pragma once
/*
 * draws - what sums become when the rows they are made of are drawn anew, as many as there are, with
 * replacement: the bootstrap. Pure; the same seed gives the same draws.
 *
 * Which rows a draw has is counted first, and the rows are then gone through in their order for several
 * draws at a time: the same sums as row by row as drawn, to rounding, without jumping about in memory.
 */
#include <stddef.h>
#include <stdint.h>

#define DRAWS_LANE 8 /* rows are this many doubles wide, or a multiple */
#define DRAWS_MOST 65535

/* n rows of width doubles, at most DRAWS_MOST of them. ret: draws times width sums. draws: a multiple of 4. */
void draws_sum(
        const double *rows, size_t n, size_t width, uint64_t seed, size_t draws, double *ret);
