#include "analyzer/draws.h"

#include <math.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#define ROWS 700 /* more than are gone through at a time */
#define WIDTH 16
#define DRAWS 1000

static double rows[ROWS * WIDTH], sums[DRAWS * WIDTH], again[DRAWS * WIDTH];

static void fill(void)
{
	for (size_t k = 0; k < ROWS; k++) {
		for (size_t i = 0; i < WIDTH; i++) {
			rows[k * WIDTH + i] = i == 0 ? 1 : i == 1 ? (double)k : k % i == 0;
		}
	}
}

Test(draws, have_as_many_rows_as_there_are_and_every_column_of_each)
{
	fill();
	draws_sum(rows, ROWS, WIDTH, 7, DRAWS, sums);
	draws_sum(rows, ROWS, WIDTH, 7, DRAWS, again);
	for (size_t d = 0; d < DRAWS; d++) {
		const double *sum = sums + d * WIDTH;
		cr_assert_eq(sum[0], ROWS);
		cr_assert_eq(sum[2] + 0, again[d * WIDTH + 2], "the same seed, the same draws");
		for (size_t i = 2; i < WIDTH; i++) {
			cr_assert_eq(sum[i], floor(sum[i]));
			cr_assert_leq(sum[i], ROWS);
		}
		/* Whatever is divisible by 12 is so by 4, 3 and 6, in the same draw. */
		cr_assert_leq(sum[12], sum[4]);
		cr_assert_leq(sum[12], sum[6]);
		cr_assert_leq(sum[6], sum[3]);
	}
}

Test(draws, vary_as_means_of_independent_rows_do)
{
	double mean = 0, squares = 0, rate = (ROWS / 2) / (double)ROWS;
	fill();
	draws_sum(rows, ROWS, WIDTH, 7, DRAWS, sums);
	for (size_t d = 0; d < DRAWS; d++) {
		double share = sums[d * WIDTH + 2] / ROWS;
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
	draws_sum(rows + WIDTH, 1, WIDTH, 7, 4, sums);
	for (size_t i = 0; i < 4 * (size_t)WIDTH; i++) {
		cr_assert_eq(sums[i], rows[WIDTH + i % WIDTH]);
	}
}
