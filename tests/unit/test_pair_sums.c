#include "analyzer/fold/pair_sums.h"

#include <math.h>
#include <string.h>

#include <criterion/criterion.h>

#include "made_answers.h"
#include "any_order.h"

#define PAIRS 300

static struct pair_row rows[PAIRS];

static void make_rows(const struct made_side *tests, size_t n_tests)
{
	const struct made_side base = {.noise = 0.05};
	for (uint64_t i = 0; i < PAIRS; i++) {
		struct choice b, t;
		uint64_t prompt = i / 2;
		made_pair(&base, &tests[i % n_tests], &b, &t);
		made_row(&b, &t, DECODING_GREEDY, (struct span){NULL, 0}, &rows[i]);
		memcpy(rows[i].exchange.cluster, &prompt, sizeof(prompt));
		made_finish(&b);
		made_finish(&t);
	}
}

static void add(void *block, uint64_t number)
{
	struct pair_facts facts;
	pair_facts_of(&rows[number].c, &facts);
	pair_sums_add(block, &rows[number], &facts);
}

static void say_step(void *arg, uint64_t tokens, double share, uint64_t at_risk)
{
	any_order_put(arg, &tokens, sizeof(tokens));
	any_order_put(arg, &share, sizeof(share));
	any_order_put(arg, &at_risk, sizeof(at_risk));
}

static void say(void *block, struct buf *to)
{
	const struct pair_sums *t = block;
	struct figure_value values[N_FIGURES];
	size_t firsts = first_differences_total(&t->firsts);
	memset(values, 0, sizeof(values));
	figures_estimate(t->clusters, &t->crossing, values);
	cr_assert(firsts > PAIRS / 10 && signed_histogram_count(&t->delta_lp) > PAIRS);
	any_order_put(to, values, sizeof(values));
	any_order_put(to, &firsts, sizeof(firsts));
	survival_steps(&t->survival, say_step, to);
	any_order_put(to, &t->delta_lp, sizeof(t->delta_lp));
	any_order_put(to, &t->delta_p, sizeof(t->delta_p));
	any_order_put(to, &t->kl_low, sizeof(t->kl_low));
	any_order_put(to, &t->noise, sizeof(t->noise));
	any_order_put(to, &t->gaps, sizeof(t->gaps));
	any_order_put(to, &t->meanings, sizeof(t->meanings));
	any_order_put(to, &t->tiers, sizeof(t->tiers));
	any_order_put(to, &t->rank_unlisted, sizeof(t->rank_unlisted));
	any_order_put(to, &t->missing_much, sizeof(t->missing_much));
}

static void finish(void *block)
{
	pair_sums_finish(block);
}

Test(pair_sums, any_order_of_adding_gives_the_same_bytes)
{
	static const struct made_side TESTS[] = {{0}, {.noise = 0.3}, {.penalty = 1},
	        {.temperature = 0.7, .sampling = 0.5}, {.foreign = 0.1}};
	random_state = 3;
	make_rows(TESTS, ARRAY_LEN(TESTS));
	any_order_check(&(struct any_order){sizeof(struct pair_sums), PAIRS, add, say, finish});
}

Test(pair_sums, sigma_is_the_deviation_of_the_noise)
{
	static struct pair_sums few, many;
	const struct made_side test = {.noise = 0.05};
	random_state = 4;
	make_rows(&test, 1);
	add(&few, 0);
	cr_assert(isnan(first_sigma(&few.noise)), "of too few positions");
	for (size_t i = 0; i < PAIRS; i++) {
		add(&many, i);
	}
	/* The difference of two logits on two sides has twice the noise of 0.05. */
	cr_assert_float_eq(first_sigma(&many.noise), 0.1, 0.01);
	pair_sums_finish(&few);
	pair_sums_finish(&many);
}
