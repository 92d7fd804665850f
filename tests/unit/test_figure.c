#include "analyzer/fold/figure.h"

#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/check.h"

#define PROMPTS 8
#define SEEDS 6
#define WHOLE 10.0

struct table {
	struct clusters *prompts;
	struct crossing seeds;
};

/* One seed of six changes the figure, which is near its limit. */
static void fill(struct table *t, double usual, double moved)
{
	*t = (struct table){.prompts = clusters_create(N_FIGURE_COLUMNS)};
	for (uint64_t prompt = 0; prompt < PROMPTS; prompt++) {
		for (int64_t seed = 0; seed < SEEDS; seed++) {
			uint8_t key[CLUSTERS_KEY_SIZE] = {0};
			memcpy(key + 8, &prompt, sizeof(prompt));
			uint32_t row = clusters_row(t->prompts, key);
			struct crossing_cell at =
			        crossing_cell_for(&t->seeds, N_FIGURE_COLUMNS, key, seed);
			double part = WHOLE * (seed == 3 ? moved : usual);
			for (size_t f = 0; f < N_FIGURE_COLUMNS; f++) {
				clusters_add(t->prompts, row, f, part, WHOLE);
				crossing_add(&t->seeds, at, f, part, WHOLE);
			}
		}
	}
}

static void finish(struct table *t)
{
	clusters_destroy(t->prompts);
	crossing_finish(&t->seeds);
}

static void expect_within(const struct figure_value *values)
{
	for (size_t f = 0; f < N_FIGURES; f++) {
		const struct figure_info *info = figure_info((enum figure)f);
		const struct figure_value *v = &values[f];
		cr_expect_eq(v->seeds, SEEDS, "%s", info->name);
		cr_expect(v->ci.low >= info->bounds.low && v->ci.high <= info->bounds.high,
		        "%s: [%g, %g]", info->name, v->ci.low, v->ci.high);
		cr_expect(v->ci.low <= v->value && v->value <= v->ci.high, "%s: %g in [%g, %g]",
		        info->name, v->value, v->ci.low, v->ci.high);
	}
}

Test(figure, no_interval_says_what_cannot_be_whatever_seeds_bring)
{
	struct table low, high;
	struct figure_value values[N_FIGURES];
	fill(&low, 0.001, 0.9);
	figures_estimate(low.prompts, &low.seeds, values);
	expect_within(values);
	cr_expect_eq(values[FIGURE_HIDDEN].ci.low, 0);
	cr_expect_eq(values[FIGURE_LENGTH_MAGNITUDE].ci.low, 0);
	cr_expect_lt(values[FIGURE_LENGTH_BIAS].ci.low, 0, "lengths may be shorter, too");
	cr_expect_lt(values[FIGURE_DELTA_LP].ci.low, 0);
	fill(&high, 0.999, 0.1);
	figures_estimate(high.prompts, &high.seeds, values);
	cr_expect_eq(values[FIGURE_HIDDEN].ci.high, 1);
	cr_expect_eq(values[FIGURE_TV_HIGH].ci.high, 1);
	cr_expect_gt(values[FIGURE_RANK].ci.high, 1);
	finish(&low);
	finish(&high);
}

Test(figure, roots_of_mean_squares_are_widened_as_they_are_told)
{
	struct table t;
	struct figure_value values[N_FIGURES];
	struct crossing_part part;
	fill(&t, 0.09, 0.25);
	cr_assert(crossing_estimate(&t.seeds, t.prompts, FIGURE_DELTA_LP_RMS, &part));
	figures_estimate(t.prompts, &t.seeds, values);
	const struct figure_value *v = &values[FIGURE_DELTA_LP_RMS];
	double reach = part.reach / (2 * v->value);
	cr_assert_float_eq(v->value, sqrt((5 * 0.09 + 0.25) / 6), 1e-12);
	cr_expect_float_eq(v->of_seeds, part.error / (2 * v->value), 1e-12);
	/* Prompts are all alike here: all of the interval is the seeds'. */
	cr_expect_float_eq(v->ci.high, v->value + reach, 1e-9);
	cr_expect_float_eq(v->ci.low, v->value - reach, 1e-9);
	cr_expect_gt(v->ci.low, 0);
	finish(&t);
}

Test(figure, a_root_of_nothing_but_zeros_is_known)
{
	struct table t;
	struct figure_value values[N_FIGURES];
	fill(&t, 0, 0);
	figures_estimate(t.prompts, &t.seeds, values);
	const struct figure_value *v = &values[FIGURE_DELTA_P_RMS];
	cr_expect(v->value == 0 && v->ci.low == 0 && v->ci.high == 0);
	cr_expect(v->of_prompts == 0 && v->of_seeds == 0);
	finish(&t);
}
