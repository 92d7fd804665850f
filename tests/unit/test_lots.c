#include "analyzer/stats/lots.h"

#include <math.h>

#include <criterion/criterion.h>

#define DRAWS 20000

static int16_t counts[LOTS_ROOM(LOTS_MOST)];

Test(lots, are_as_many_as_there_are_rows_and_none_beyond_them)
{
	static const size_t sizes[] = {1, 2, 3, 15, 16, 17, 255, 256, 257, 1000, 20000, LOTS_MOST};
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct dice dice = {i};
		for (size_t d = 0; d < 20; d++) {
			size_t n = sizes[i], sum = 0;
			lots_draw(&dice, n, counts);
			for (size_t k = 0; k < LOTS_ROOM(n); k++) {
				cr_assert(counts[k] >= 0 && (k < n || counts[k] == 0));
				sum += (size_t)counts[k];
			}
			cr_assert_eq(sum, n);
		}
	}
}

Test(lots, are_the_same_from_the_same_seed)
{
	struct dice one = {42}, other = {42};
	int16_t again[LOTS_ROOM(500)];
	for (size_t d = 0; d < 10; d++) {
		lots_draw(&one, 500, counts);
		lots_draw(&other, 500, again);
		cr_assert_arr_eq(counts, again, sizeof(again));
	}
	cr_assert_eq(one.state, other.state);
}

/* Each outcome of four draws out of four rows as often as it ought to be: 4! / (4^4 product of counts!). */
Test(lots, of_few_rows_have_the_chances_of_a_multinomial)
{
	static const double factorial[] = {1, 1, 2, 6, 24};
	size_t seen[5][5][5] = {0}, outcomes = 0;
	struct dice dice = {7};
	double chi2 = 0;
	for (size_t d = 0; d < DRAWS; d++) {
		lots_draw(&dice, 4, counts);
		seen[counts[0]][counts[1]][counts[2]]++;
	}
	for (size_t a = 0; a <= 4; a++) {
		for (size_t b = 0; a + b <= 4; b++) {
			for (size_t c = 0; a + b + c <= 4; c++) {
				double each = factorial[a] * factorial[b] * factorial[c] *
				              factorial[4 - a - b - c];
				double ought = DRAWS * 24 / 256.0 / each;
				double off = (double)seen[a][b][c] - ought;
				chi2 += off * off / ought;
				outcomes++;
			}
		}
	}
	cr_assert_eq(outcomes, 35);
	/* Of 34 degrees of freedom, above it by a chance of one in 10,000. */
	cr_assert_lt(chi2, 74, "%f", chi2);
}

/* A row's count is binomial; its rarest values are dealt another way than the others. */
Test(lots, of_many_rows_have_each_count_as_often_as_it_is_likely)
{
	enum { ROWS = 4096, HERE = 3000, HIGHEST = 8 };
	double seen[HIGHEST + 1] = {0}, chance = pow(1 - 1.0 / ROWS, ROWS);
	struct dice dice = {11};
	for (size_t d = 0; d < HERE; d++) {
		lots_draw(&dice, ROWS, counts);
		for (size_t k = 0; k < ROWS; k++) {
			seen[counts[k] < HIGHEST ? counts[k] : HIGHEST]++;
		}
	}
	double below = 0;
	for (size_t i = 0; i < HIGHEST; i++) {
		double ought = chance * HERE * ROWS;
		cr_expect_float_eq(
		        seen[i], ought, 5 * sqrt(ought), "%zu: %f, not %f", i, seen[i], ought);
		below += chance;
		chance *= (double)(ROWS - i) / (double)(i + 1) / (ROWS - 1);
	}
	double ought = (1 - below) * HERE * ROWS;
	cr_expect_float_eq(seen[HIGHEST], ought, 5 * sqrt(ought), "%f", seen[HIGHEST]);
}

/* What two rows have beyond one each, multiplied: -1/rows on average. */
static void check_against_each_other(size_t rows, const size_t pairs[][2], size_t n)
{
	double sums[8] = {0};
	struct dice dice = {3};
	for (size_t d = 0; d < DRAWS; d++) {
		lots_draw(&dice, rows, counts);
		for (size_t i = 0; i < n; i++) {
			sums[i] += (counts[pairs[i][0]] - 1) * (counts[pairs[i][1]] - 1);
		}
	}
	for (size_t i = 0; i < n; i++) {
		cr_expect_float_eq(sums[i] / DRAWS, -1.0 / (double)rows, 5 / sqrt(DRAWS),
		        "%zu and %zu of %zu: %f", pairs[i][0], pairs[i][1], rows, sums[i] / DRAWS);
	}
}

/* Few rows, where it is much; and rows of one stretch, neighbours, and the last rows. */
Test(lots, of_two_rows_go_against_each_other_as_draws_from_one_urn_do)
{
	static const size_t few[][2] = {{0, 1}, {0, 5}, {2, 3}, {4, 5}};
	static const size_t many[][2] = {{0, 1}, {0, 299}, {16, 17}, {40, 255}, {255, 256}};
	check_against_each_other(6, few, sizeof(few) / sizeof(*few));
	check_against_each_other(300, many, sizeof(many) / sizeof(*many));
}
