#include "analyzer/opinions/gold.h"

#include <math.h>

#include <criterion/criterion.h>

#include "analyzer/stats/counts.h"

#include "analyzer/stats/clusters.h"
#include "analyzer/fold/pair_sums.h"

static struct gold_counts counts(uint64_t both, uint64_t broke, uint64_t fixed, uint64_t neither)
{
	struct gold_counts c = {0};
	c.by[GOLD_RIGHT][GOLD_RIGHT] = both;
	c.by[GOLD_RIGHT][GOLD_WRONG] = broke;
	c.by[GOLD_WRONG][GOLD_RIGHT] = fixed;
	c.by[GOLD_WRONG][GOLD_WRONG] = neither;
	return c;
}

Test(gold, scores_and_their_shift_are_of_pairs_told_on_both_sides)
{
	struct gold_counts c = counts(70, 8, 2, 20);
	cr_assert_eq(gold_judged(&c), 100);
	cr_assert_eq(gold_base_right(&c), 78);
	cr_assert_eq(gold_test_right(&c), 72);
	cr_assert_float_eq(gold_score_shift(&c), -6, 1e-12);
	cr_assert_float_eq(gold_p(&c), 0.109375, 1e-9);
	c.by[GOLD_UNDECIDED][GOLD_RIGHT] = 5;
	c.by[GOLD_WRONG][GOLD_UNDECIDED] = 7;
	c.by[GOLD_NONE][GOLD_NONE] = 1000;
	cr_assert_eq(gold_judged(&c), 100);
	cr_assert_eq(gold_known(&c), 112);
	cr_assert_float_eq(gold_score_shift(&c), -6, 1e-12);
}

Test(gold, without_right_answers_nothing_is_said)
{
	struct gold_counts c = {0};
	gold_add(&c, GOLD_NONE, GOLD_NONE);
	gold_add(&c, GOLD_UNDECIDED, GOLD_RIGHT);
	cr_assert_eq(gold_known(&c), 1);
	cr_assert_eq(gold_judged(&c), 0);
	cr_assert(isnan(gold_score_shift(&c)) && isnan(gold_p(&c)));
}

Test(gold, merging_adds_every_count)
{
	struct gold_counts a = counts(1, 2, 3, 4), b = counts(10, 20, 30, 40);
	b.by[GOLD_UNDECIDED][GOLD_UNDECIDED] = 5;
	COUNTS_ADD(&a, &b);
	cr_assert_eq(gold_judged(&a), 110);
	cr_assert_eq(gold_known(&a), 115);
	cr_assert_eq(gold_broke(&a), 22);
	cr_assert_eq(gold_fixed(&a), 33);
}

/* Twenty broken repeats of one prompt are one event. */
Test(gold, the_shifts_interval_knows_which_answers_are_alike)
{
	struct figure_value values[2][N_FIGURES];
	for (int alike = 0; alike < 2; alike++) {
		struct pair_sums t = {0};
		for (int i = 0; i < 400; i++) {
			struct pair_row row = {.c.text_equal = true};
			int prompt = alike ? i / 20 : i;
			row.exchange.cluster[0] = (uint8_t)prompt;
			row.exchange.cluster[1] = (uint8_t)(prompt >> 8);
			row.c.meaning.base_gold = GOLD_RIGHT;
			row.c.meaning.test_gold = (i / 20) % 10 == 0 ? GOLD_WRONG : GOLD_RIGHT;
			struct pair_facts facts;
			pair_facts_of(&row.c, &facts);
			pair_sums_add(&t, &row, &facts);
		}
		figures_estimate(t.clusters, &t.crossing, values[alike]);
		cr_assert_eq(gold_broke(&t.meanings.gold), 40);
		pair_sums_finish(&t);
	}
	const struct figure_value *apart = &values[0][FIGURE_SCORE_SHIFT],
	                          *alike = &values[1][FIGURE_SCORE_SHIFT];
	cr_assert_float_eq(apart->value, -10, 1e-9);
	cr_assert_float_eq(alike->value, -10, 1e-9);
	cr_assert_eq(alike->clusters, 20);
	cr_assert_float_eq(values[1][FIGURE_TEST_SCORE].value, 0.9, 1e-12);
	/* 1.96 * 30 / sqrt(n) points, of 400 and of 20. */
	cr_assert_float_eq(apart->ci.high - apart->ci.low, 5.88, 0.6);
	/* Of twenty, two broke; that none was fixed says little: up to one in seven could be. */
	cr_assert_float_eq(alike->ci.high - alike->ci.low, 35, 4);
}
