#pragma once
/*
 * draws - what sums become when the rows they are made of are drawn anew, as many as there are, with
 * replacement: the bootstrap. Pure; the same seed gives the same draws, whatever the columns.
 *
 * Which rows a draw has is counted first (lots.h), and sums are products of these counts with columns of whole
 * numbers of 15 bits: exact, so that neither their order nor the processor's vectors move them. A column of whole
 * numbers less than 2^30 apart is one or two of these, and its sums are what they would be; of any other, which
 * is two, each row is rounded to a 2^30th of what lies between the least and the greatest, or to the least where
 * such a part is no normal number.
 */
#include <stddef.h>
#include <stdint.h>

#include "analyzer/stats/lots.h"

#define DRAWS_MOST LOTS_MOST

/*
 * columns: n rows of each, one column after another; n is from 1 to DRAWS_MOST. ret: draws times n_columns
 * sums, draw by draw; NaN of a column that has something else than numbers. draws: a multiple of 8.
 */
void draws_sum(const double *columns, size_t n, size_t n_columns, uint64_t seed, size_t draws,
        double *ret);
