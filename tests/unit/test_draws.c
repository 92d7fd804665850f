#include "analyzer/stats/draws.h"

#include <math.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#define ROWS 2700 /* more than are gone through at a time */
#define COLUMNS 20
#define DRAWS 1000

static double columns[COLUMNS][ROWS], sums[DRAWS * COLUMNS], again[DRAWS * COLUMNS];

/* Ones, numbers of the rows, what is divisible by the column's number. */
static void fill(void)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		for (size_t k = 0; k < ROWS; k++) {
			columns[i][k] = i == 0 ? 1 : i == 1 ? (double)k : k % i == 0;
		}
	}
}

static void draw(size_t n, size_t n_columns, size_t draws, double *ret)
{
	draws_sum(columns[0], n, n_columns, 7, draws, ret);
}

Test(draws, have_as_many_rows_as_there_are_and_every_column_of_each)
{
	fill();
	draw(ROWS, COLUMNS, DRAWS, sums);
	draw(ROWS, COLUMNS, DRAWS, again);
	cr_assert_arr_eq(sums, again, sizeof(sums), "the same seed, the same draws");
	for (size_t d = 0; d < DRAWS; d++) {
		const double *sum = sums + d * COLUMNS;
		cr_assert_eq(sum[0], ROWS);
		for (size_t i = 2; i < COLUMNS; i++) {
			cr_assert_eq(sum[i], floor(sum[i]));
			cr_assert_leq(sum[i], ROWS);
		}
		/* Whatever is divisible by 12 is so by 4, 3 and 6, in the same draw. */
		cr_assert_leq(sum[12], sum[4]);
		cr_assert_leq(sum[12], sum[6]);
		cr_assert_leq(sum[6], sum[3]);
	}
}

/* Row by row, in doubles. */
static double plain_sum(const double *column, const int16_t *counts)
{
	double sum = 0;
	for (size_t k = 0; k < ROWS; k++) {
		sum += counts[k] * column[k];
	}
	return sum;
}

/* Of whole numbers near together, far apart and below 0; constants; what ranges widely; tiny beside what it is added to. */
Test(draws, are_exact_for_whole_numbers_and_for_others_to_a_part_of_their_range)
{
	static int16_t counts[LOTS_ROOM(ROWS)];
	enum { WHOLE = 4 };
	struct dice dice = {7};
	for (size_t k = 0; k < ROWS; k++) {
		double share = (double)k / ROWS;
		columns[0][k] = (double)(k % 7) - 3;
		columns[1][k] = (double)(k * 1000003 % 40000000);
		columns[2][k] = k % 3 ? -5e8 : 5e8;
		columns[3][k] = 123456;
		columns[4][k] = 0.1;
		columns[5][k] = exp(-20 * share);
		columns[6][k] = 1e6 + 1e-6 * sin((double)k);
		columns[7][k] = k == 5 ? 1e9 : share;
		columns[8][k] = 1e12 * (double)k + 0.5;
	}
	draw(ROWS, 9, DRAWS, sums);
	for (size_t d = 0; d < DRAWS; d++) {
		const double *sum = sums + d * 9;
		lots_draw(&dice, ROWS, counts);
		for (size_t i = 0; i < 9; i++) {
			double ought = plain_sum(columns[i], counts), low = columns[i][0],
			       high = low;
			for (size_t k = 0; k < ROWS; k++) {
				low = fmin(low, columns[i][k]);
				high = fmax(high, columns[i][k]);
			}
			double off =
			        i < WHOLE ? 0
			                  : ROWS * (high - low) / (1 << 30) + 1e-12 * fabs(ought);
			cr_assert_float_eq(sum[i], ought, off, "column %zu: %.17g, not %.17g", i,
			        sum[i], ought);
		}
	}
}

Test(draws, of_rows_that_are_nothing_are_nothing)
{
	for (size_t k = 0; k < ROWS; k++) {
		columns[0][k] = k == 100 ? 0.3 : 0;
	}
	draw(ROWS, 1, DRAWS, sums);
	size_t without = 0;
	for (size_t d = 0; d < DRAWS; d++) {
		without += sums[d] == 0;
	}
	cr_assert(without > 300 && without < 440, "%zu", without);
}

Test(draws, of_a_column_with_no_number_are_none_and_leave_the_others)
{
	fill();
	draw(ROWS, 4, DRAWS, again);
	columns[2][17] = NAN;
	columns[3][17] = INFINITY;
	draw(ROWS, 4, DRAWS, sums);
	for (size_t d = 0; d < DRAWS; d++) {
		const double *sum = sums + d * 4;
		cr_assert_eq(sum[0], again[d * 4]);
		cr_assert_eq(sum[1], again[d * 4 + 1]);
		cr_assert(isnan(sum[2]) && isnan(sum[3]));
	}
}

Test(draws, vary_as_means_of_independent_rows_do)
{
	double mean = 0, squares = 0, rate = 0.5;
	fill();
	draw(ROWS, COLUMNS, DRAWS, sums);
	for (size_t d = 0; d < DRAWS; d++) {
		double share = sums[d * COLUMNS + 2] / ROWS;
		mean += share / DRAWS;
		squares += share * share / DRAWS;
	}
	double deviation = sqrt(squares - mean * mean), ought = sqrt(rate * (1 - rate) / ROWS);
	cr_assert_float_eq(mean, rate, 4 * ought / sqrt(DRAWS));
	cr_assert_float_eq(
	        deviation / ought, 1, 0.1, "%f of what it ought to be", deviation / ought);
}

Test(draws, of_one_row_are_that_row)
{
	fill();
	for (size_t i = 0; i < COLUMNS; i++) {
		columns[0][i] = (double)i / 3;
	}
	draws_sum(columns[0], 1, COLUMNS, 7, 8, sums);
	for (size_t d = 0; d < 8; d++) {
		for (size_t i = 0; i < COLUMNS; i++) {
			cr_assert_eq(sums[d * COLUMNS + i], (double)i / 3);
		}
	}
}

/* Parts of such a range are no numbers that could be divided by. */
Test(draws, of_a_range_that_is_next_to_nothing_are_sums_of_the_least)
{
	for (size_t k = 0; k < ROWS; k++) {
		columns[0][k] = k % 2 ? 0 : 7.4e-315;
		columns[1][k] = k % 2 ? -4e-320 : 4e-324;
		columns[2][k] = k % 2 ? 0 : 1e-316;
		columns[3][k] = k % 2 ? 0 : 1e-290;
	}
	draw(ROWS, 4, DRAWS, sums);
	for (size_t d = 0; d < DRAWS; d++) {
		for (size_t i = 0; i < 3; i++) {
			cr_assert_float_eq(sums[d * 4 + i], 0, ROWS * 1e-300);
		}
		cr_assert_geq(sums[d * 4], 0);
		cr_assert_float_eq(sums[d * 4 + 3] / 1e-290, ROWS / 2.0, ROWS / 8.0);
	}
}
